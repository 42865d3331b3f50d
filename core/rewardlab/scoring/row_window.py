"""A window of rows that are scored at the same time: as many as the memory allows, with results in the rows' order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Generic, Protocol, TypeVar

from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.scorer import Scorer
from rewardlab.types import Group

AnyRow = TypeVar("AnyRow", bound="HasGroup")
Answer = TypeVar("Answer", covariant=True)
MOST_ROWS, MOST_COMPLETIONS, MOST_CHARACTERS = 256, 1024, 1 << 24


class HasGroup(Protocol):
    """A row as the window measures it."""

    @property
    def group(self) -> Group: ...


class PendingResult(Protocol[Answer]):
    """The methods of a Future that the window uses."""

    def done(self) -> bool: ...

    def result(self) -> Answer: ...

    def cancel(self) -> object: ...


def scored_in_order(scorer: Scorer, rows: Iterable[AnyRow]) -> Iterator[tuple[AnyRow, ScoredGroup]]:
    """Yield each row with its scores, in order; what is still under way is cancelled where the caller stops early.

    A row that exceeds the limits by itself is scored alone.
    """
    return results_in_order(rows, lambda row: scorer.submit(row.group))


def results_in_order(
    rows: Iterable[AnyRow], submit: Callable[[AnyRow], PendingResult[Answer]]
) -> Iterator[tuple[AnyRow, Answer]]:
    """Yield each row with the result of what `submit` starts for it."""
    with closing(RowWindow[AnyRow, Answer]()) as window:
        for row in rows:
            window.add(row, submit(row))
            while window.full or window.first_is_scored:
                yield window.take()
        while window.rows:
            yield window.take()


class RowWindow(Generic[AnyRow, Answer]):
    """The rows under way, in order; their completions and the characters of these are counted."""

    def __init__(self) -> None:
        self.rows: deque[tuple[AnyRow, PendingResult[Answer]]] = deque()
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

    def add(self, row: AnyRow, scored: PendingResult[Answer]) -> None:
        self._count(row, 1)
        self.rows.append((row, scored))

    def take(self) -> tuple[AnyRow, Answer]:
        """Return the first row with its result, once it is there; JobError where it cannot be scored."""
        row, scored = self.rows.popleft()
        self._count(row, -1)
        return row, scored.result()

    def close(self) -> None:
        """Cancel what is still under way."""
        for _, scored in self.rows:
            scored.cancel()
        self.rows.clear()

    def _count(self, row: AnyRow, sign: int) -> None:
        completions = row.group.completions
        self._completions += sign * len(completions)
        self._characters += sign * sum(len(completion.text) for completion in completions)
