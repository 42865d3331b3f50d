"""A window of rows that are scored at the same time: as many as the memory allows, with results in the rows' order."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import Any, Generic, Protocol, TypeVar

from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.scorer import Scorer
from rewardlab.types import Group

AnyRow = TypeVar("AnyRow", bound="HasGroup")
Answer = TypeVar("Answer", covariant=True)
Pending = TypeVar("Pending", bound="PendingResult[Any]")
MAX_ROWS, MAX_COMPLETIONS, MAX_CHARACTERS = 256, 1024, 1 << 24


class HasGroup(Protocol):
    """A row as the window measures it."""

    @property
    def group(self) -> Group: ...


class PendingResult(Protocol[Answer]):
    """The methods of a Future that a window uses."""

    def done(self) -> bool: ...

    def result(self) -> Answer: ...

    def cancel(self) -> object: ...


def scored_in_order(
    scorer: Scorer, rows: Iterable[AnyRow], evaluation: bool = False
) -> Generator[tuple[AnyRow, ScoredGroup]]:
    """Yield each row with its scores, in order; what is still under way is cancelled if the caller stops early.

    A row that exceeds the limits by itself is scored alone. evaluation: as of `Scorer.score_groups`.
    """
    return results_in_order(rows, lambda row: scorer.submit(row.group, evaluation), scorer.hosts)


def results_in_order(
    rows: Iterable[AnyRow], submit: Callable[[AnyRow], PendingResult[Answer]], windows: int = 1
) -> Generator[tuple[AnyRow, Answer]]:
    """Yield each row with the result of what `submit` starts for it. windows: how much larger than one window is."""
    with closing(due_in_order(rows, submit, windows)) as due:
        for row, pending in due:
            yield row, pending.result()


def due_in_order(
    rows: Iterable[AnyRow], submit: Callable[[AnyRow], Pending], windows: int = 1
) -> Generator[tuple[AnyRow, Pending]]:
    """Yield each row with what `submit` started for it, once that is done or has to be waited for by the caller."""
    window: RowWindow[AnyRow, Pending] = RowWindow(windows)
    with closing(window):
        for row in rows:
            window.add(row, submit(row))
            while window.full or window.first_is_there:
                yield window.rows[0]
                window.drop_first()
        while window.rows:
            yield window.rows[0]
            window.drop_first()


class RowWindow(Generic[AnyRow, Pending]):
    """The rows under way with what will be their results, in order.

    Completions and the characters of these are counted.
    """

    def __init__(self, windows: int = 1) -> None:
        self._rows, self._most, self._size = windows * MAX_ROWS, windows * MAX_COMPLETIONS, windows * MAX_CHARACTERS
        self.rows: deque[tuple[AnyRow, Pending]] = deque()
        self._completions = 0
        self._characters = 0

    @property
    def full(self) -> bool:
        """Whether the first row must be waited for before another is added."""
        return len(self.rows) >= self._rows or self._completions >= self._most or self._characters >= self._size

    @property
    def first_is_there(self) -> bool:
        """Whether the first row has its result."""
        return bool(self.rows) and self.rows[0][1].done()

    def add(self, row: AnyRow, pending: Pending) -> None:
        """Add a row that is under way from now on."""
        self._count(row, 1)
        self.rows.append((row, pending))

    def drop_first(self) -> None:
        """Leave out the first row, which is done."""
        row, _ = self.rows.popleft()
        self._count(row, -1)

    def close(self) -> None:
        """Cancel what is still under way."""
        for _, pending in self.rows:
            pending.cancel()
        self.rows.clear()

    def _count(self, row: AnyRow, sign: int) -> None:
        completions = row.group.completions
        self._completions += sign * len(completions)
        self._characters += sign * sum(completion.characters for completion in completions)
