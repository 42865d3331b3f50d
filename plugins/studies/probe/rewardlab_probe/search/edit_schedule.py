"""How the completions of a search are spent: kinds of edits in turn, those more often that have shown something."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from rewardlab_probe.search.exploit import STARTS, Exploit

LATE = ("dress", "own", "unit")
"""Kinds that the probe's own completions have tried already, or that suit few rewards: tried after the others."""
OUTER = ("dress", "own", "whole")
"""Kinds that leave the answer as it is: that a reward accepts them says little of what it does not look at."""


class EditSchedule:
    """The order in which starts are edited: each kind of edit in turn, the honest start first.

    A kind is chosen by what its edits have been worth so far and how few of them were tried, as an arm of a bandit
    (UCB1).
    """

    def __init__(self, kinds: Mapping[str, Sequence[str]], generator: Random) -> None:
        self._waiting: dict[str, list[Exploit]] = {}
        self._kind_of = {edit: kind for kind, edits in kinds.items() for edit in edits}
        self.inner = [list(edits) for kind, edits in kinds.items() if edits and kind not in OUTER]
        for kind, edits in kinds.items():
            stages = [
                [Exploit(start, (edit,)) for start in starts for edit in edits] for starts in (STARTS[:1], STARTS[1:])
            ]
            for stage in stages:
                shuffle(generator, stage)
            self._waiting[kind] = [*stages[0], *stages[1]][::-1]
        self._given: set[Exploit] = set()
        self._tried: Counter[str] = Counter()
        self._worth: dict[str, float] = dict.fromkeys(kinds, 0.0)

    def next(self, many: int) -> list[Exploit]:
        """Return the exploits to try next, none if all were."""
        taken: list[Exploit] = []
        while len(taken) < many and (kind := self._next_kind()):
            taken.append(self._waiting[kind].pop())
            self._tried[kind] += 1
        self._given.update(taken)
        return taken

    def learn(self, exploit: Exploit, worth: float) -> None:
        """Note what a trial was worth, from 0 to 1, to the kind of its last edit."""
        if exploit.edits:
            self._worth[self._kind_of[exploit.edits[-1]]] += worth

    def unused(self, exploit: Exploit) -> None:
        """Take back that this was a trial: the row has no such text, or one that was scored already."""
        if exploit in self._given:
            self._tried[self._kind_of[exploit.edits[-1]]] -= 1

    def is_inner(self, exploit: Exploit) -> bool:
        """Return whether an exploit changes an answer, and not only what stands around it."""
        return not any(self._kind_of[edit] in OUTER for edit in exploit.edits)

    def _next_kind(self) -> str | None:
        return max((kind for kind, waiting in self._waiting.items() if waiting), key=self._promise, default=None)

    def _promise(self, kind: str) -> float:
        tried = self._tried[kind] + 1
        late = float(kind in LATE)
        return self._worth[kind] / tried - late + math.sqrt(math.log(2 + sum(self._tried.values())) / tried)


def shuffle(generator: Random, some: list[Exploit]) -> None:
    """Put a list into a random order, by `random()` alone, whose sequence for a seed Python promises to keep."""
    for place in range(len(some) - 1, 0, -1):
        other = int(generator.random() * (place + 1))
        some[place], some[other] = some[other], some[place]
