"""Sampling in several processes what one process would sample: each draws for the whole batch, and takes its rows.

PyTorch's `multinomial` of one token is argmax(p / q) with q drawn from an exponential distribution, for all rows of the
batch at once. Processes that have the same random state, and each draw q for the rows of all of them, choose the tokens
that one process would choose.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from rewardlab_trl.processes import Processes


@contextmanager
def sampled_as_one(processes: Processes, device: torch.device) -> Iterator[None]:
    """Let the processes, each with an equal part of a batch, sample in this block as one would that had all of it.

    All of them must come here. They leave with the random state that the one process would have.
    """
    if processes.count == 1:
        yield
        return
    _set_state(processes.from_first(lambda: _state(device)), device)
    draws = _WholeBatchDraws(processes)
    with draws:
        yield
    made = processes.gathered(draws.made)
    draws.go_on(processes.from_first(lambda: max(made)))


def state_behind_shuffle(processes: Processes, rows: int) -> torch.Tensor | None:
    """Return the random state of one process that has shuffled the batch, of which this one has `rows` rows.

    It is None if there is one process.
    """
    if processes.count == 1:
        return None
    with torch.random.fork_rng(devices=[]):
        torch.randperm(rows * processes.count)
        return torch.get_rng_state()


class _WholeBatchDraws(TorchFunctionMode):
    """Draws a token for each row of this process's part, with the random numbers that the whole batch takes.

    made: how many times it has drawn; a part whose rows have all ended draws no more, so that parts differ.
    """

    def __init__(self, processes: Processes) -> None:
        super().__init__()
        self._processes, self._like, self.made = processes, torch.empty(0), 0

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Return what the function returns; a draw of one token for each row is this class's own."""
        given = kwargs or {}
        if func is not torch.multinomial or given != {"num_samples": 1}:
            return func(*args, **given)
        self._like = probabilities = args[0]
        own = self._noise()[self._processes.number * len(probabilities) :][: len(probabilities)]
        return (probabilities / own).argmax(-1, keepdim=True)

    def go_on(self, made: int) -> None:
        """Draw on until as many times have been drawn as in the part that drew most."""
        while self.made < made:
            self._noise()

    def _noise(self) -> torch.Tensor:
        self.made += 1
        rows, tokens = self._like.shape
        return self._like.new_empty(rows * self._processes.count, tokens).exponential_()


def _state(device: torch.device) -> torch.Tensor:
    return torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state()


def _set_state(state: torch.Tensor, device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.set_rng_state(state, device)
    else:
        torch.set_rng_state(state)
