"""Rows that are being scored at the same time: many at once, never too many for the memory, out in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from rewardlab.composition import ScoredGroup
from rewardlab.scorefile.rows import Row
from rewardlab.scoring import Scorer
from rewardlab.types import Group

AnyRow = TypeVar("AnyRow", bound="HasGroup")
Answer = TypeVar("Answer", covariant=True)
MOST_ROWS, MOST_COMPLETIONS, MOST_CHARACTERS = 256, 1024, 1 << 24


class HasGroup(Protocol):
    """A row as the window measures it."""

    @property
    def group(self) -> Group: ...


class Awaited(Protocol[Answer]):
    """What a Future has of which the window makes use."""

    def done(self) -> bool: ...

    def result(self) -> Answer: ...


def scored_in_order(scorer: Scorer, rows: Iterable[Row]) -> Iterator[tuple[Row, ScoredGroup]]:
    """Each row with its scores. A row that is beyond the limits by itself is scored alone."""
    return in_order(rows, lambda row: scorer.submit(row.group))


def in_order(rows: Iterable[AnyRow], submit: Callable[[AnyRow], Awaited[Answer]]) -> Iterator[tuple[AnyRow, Answer]]:
    """Each row with the result of what `submit` starts for it."""
    window: _Window[AnyRow, Answer] = _Window()
    for row in rows:
        window.add(row, submit(row))
        while window.full or window.first_is_scored:
            yield window.take()
    while window.rows:
        yield window.take()


class _Window(Generic[AnyRow, Answer]):
    """Rows under way, the first one first. Characters are those of the completions."""

    def __init__(self) -> None:
        self.rows: deque[tuple[AnyRow, Awaited[Answer]]] = deque()
        self._completions = 0
        self._characters = 0

    @property
    def full(self) -> bool:
        return (
            len(self.rows) >= MOST_ROWS or self._completions >= MOST_COMPLETIONS or self._characters >= MOST_CHARACTERS
        )

    @property
    def first_is_scored(self) -> bool:
        return bool(self.rows) and self.rows[0][1].done()

    def add(self, row: AnyRow, scored: Awaited[Answer]) -> None:
        self._count(row, 1)
        self.rows.append((row, scored))

    def take(self) -> tuple[AnyRow, Answer]:
        """The first row, once it is scored; a JobError where it cannot be."""
        row, scored = self.rows.popleft()
        self._count(row, -1)
        return row, scored.result()

    def _count(self, row: AnyRow, sign: int) -> None:
        completions = row.group.completions
        self._completions += sign * len(completions)
        self._characters += sign * sum(len(completion.text) for completion in completions)
