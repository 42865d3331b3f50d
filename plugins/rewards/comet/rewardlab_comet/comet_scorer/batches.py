"""Batches of like length within a budget of tokens, halved if memory does not suffice."""

from collections.abc import Callable, Sequence

import torch

_OUT_OF_MEMORY = ("not enough memory", "can't allocate memory", "out of memory")


def batches(sizes: Sequence[int], budget: int) -> list[list[int]]:
    """Return the indices of the rows in batches, the longest rows first; padded, a batch has at most `budget` tokens.

    Args:
        sizes: tokens of each row. A row over the budget is a batch by itself.
    """
    made: list[list[int]] = []
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        if made and (len(made[-1]) + 1) * sizes[made[-1][0]] <= budget:
            made[-1].append(index)
        else:
            made.append([index])
    return made


def run(batch: list[int], scores: Callable[[list[int]], list[float]]) -> dict[int, float | None]:
    """Return the score of each index; None for one that does not fit into memory by itself."""
    try:
        return dict(zip(batch, scores(batch), strict=True))
    except (RuntimeError, MemoryError) as error:
        if not _out_of_memory(error):
            raise
    # outside of `except`: the error holds the frames, and with them the tensors that are in the way
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if len(batch) == 1:
        return {batch[0]: None}
    half = len(batch) // 2
    return run(batch[:half], scores) | run(batch[half:], scores)


def _out_of_memory(error: Exception) -> bool:
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return any(text in str(error).lower() for text in _OUT_OF_MEMORY)
