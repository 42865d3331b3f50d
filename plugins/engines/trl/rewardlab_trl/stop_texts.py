"""Stop texts: a completion ends with the token in which one of them is complete."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from transformers import StoppingCriteria, StoppingCriteriaList

Decode = Callable[[Sequence[Sequence[int]]], list[str]]
"""the text of each of some completions, without the special tokens that end and pad it"""
MARGIN = 8
"""tokens beside those of the longest stop text in which it is looked for: one may hold a part of a character"""


def cut_at_stop(ids: list[int], stop: Sequence[str], decode: Decode) -> list[int]:
    """Return the ids up to the token that completes a stop text; all of them if there is none."""
    if not stop or not _is_stopped(ids, stop, decode):
        return ids
    short, long = 0, len(ids)  # of prefixes that are not stopped, and that are
    while long - short > 1:
        middle = (short + long) // 2
        if _is_stopped(ids[:middle], stop, decode):
            long = middle
        else:
            short = middle
    return ids[:long]


@contextmanager
def stopping(model: Any, stop: Sequence[str], decode: Decode) -> Iterator[None]:
    """Let `model.generate` end a row in this block once its text has a stop text; what follows there is padding."""
    if not stop:
        yield
        return
    generate = model.generate

    def stopped(*positional: Any, **named: Any) -> Any:
        return generate(*positional, **named, stopping_criteria=StoppingCriteriaList([_StopTexts(stop, decode)]))

    model.generate = stopped
    try:
        yield
    finally:
        del model.generate


class _StopTexts(StoppingCriteria):
    """Ends the rows of one call of `generate`; it is asked after each token."""

    def __init__(self, stop: Sequence[str], decode: Decode) -> None:
        self._stop, self._decode, self._start = stop, decode, -1
        self._tail = max(len(text.encode()) for text in stop) + MARGIN

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        if self._start < 0:  # after the first token
            self._start = input_ids.shape[1] - 1
        rows = input_ids[:, self._start :].tolist()
        near = [_has(text, self._stop) for text in self._decode([row[-self._tail :] for row in rows])]
        # the end of a row may read otherwise by itself; only the whole row decides, as it does in `cut_at_stop`
        over = [close and _is_stopped(row, self._stop, self._decode) for close, row in zip(near, rows, strict=True)]
        return torch.tensor(over, device=input_ids.device)


def _is_stopped(ids: Sequence[int], stop: Sequence[str], decode: Decode) -> bool:
    return _has(decode([ids])[0], stop)


def _has(text: str, stop: Sequence[str]) -> bool:
    return any(stop_text in text for stop_text in stop)
