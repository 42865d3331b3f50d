"""One side of a comparison: a recipe that scores now, or the scores of a file."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Protocol

from rewardlab.comparing.alike import in_common
from rewardlab.comparing.rows import ComparedRow
from rewardlab.comparing.scored_file import ScoredFile
from rewardlab.comparing.shared_judges import RecipeJudge
from rewardlab.composition import MissingGuard, ScoredGroup
from rewardlab.errors import JobError
from rewardlab.judging import Keeping
from rewardlab.judging.judges import NamedJudges
from rewardlab.plan import Plan
from rewardlab.scorefile.job import GUARD_LEAST, GUARD_WINDOW
from rewardlab.scorefile.output import output_row
from rewardlab.scoring import Scorer
from rewardlab.total import uses_in_total


class Side(Protocol):
    """What the job asks of a side."""

    def submit(self, row: ComparedRow) -> "Future[Any]":
        """Start scoring a row."""

    def scores(self, row: ComparedRow, result: Any) -> Mapping[str, Any]:
        """The row as a line of `score`. `result` is the future's. A JobError where the recipe's policies say so."""

    def check_end(self) -> None:
        """A JobError where a component gave nothing but failures."""

    def cost(self) -> dict[str, Any] | None:
        """{"judges": {name: what it was asked}, "measured_seconds"}; None where nothing was scored."""

    def close(self) -> None:
        """Idempotent."""


class RecipeSide:
    """A recipe's rewards. `place` is 0 for A, 1 for B.

    beside: the other side, which is asked for the same rows and closed later. Under one seed, what both recipes declare
    alike is there once: a component scores for both, and a process that holds a model answers both.
    """

    def __init__(
        self,
        plan: Plan,
        place: int,
        judges: NamedJudges[RecipeJudge],
        say: Callable[[str], None],
        beside: "RecipeSide | None" = None,
    ):
        self._plan, self._place, self._judges = plan, place, judges
        self._guard = MissingGuard(uses_in_total(plan), window=GUARD_WINDOW, least=GUARD_LEAST)
        self._busy = Busy()
        lent = None
        if beside is not None and beside._plan.recipe.seed == plan.recipe.seed:
            lent = beside._scorer.lend(in_common(beside._plan, plan))
        self._scorer: Scorer = Scorer(plan, keeping=Keeping(say=say), judges=judges, lent=lent)

    def warm(self) -> None:
        """Start worker processes now."""
        self._scorer.warm()

    def submit(self, row: ComparedRow) -> "Future[ScoredGroup]":
        self._busy.begin()
        future = self._scorer.submit(row.groups[self._place])
        future.add_done_callback(lambda _: self._busy.end())
        return future

    def scores(self, row: ComparedRow, result: ScoredGroup) -> Mapping[str, Any]:
        self._guard.count(result)
        with of_side(self._place):
            self._guard.check()
        return output_row(row.given_id, result)

    def check_end(self) -> None:
        with of_side(self._place):
            self._guard.check_end()

    def cost(self) -> dict[str, Any]:
        judges = {name: judge.asked.as_dict() for name, judge in self._judges.items() if judge.asked.questions}
        return {"judges": judges, "measured_seconds": self._busy.seconds}

    def close(self) -> None:
        self._scorer.close()


class ScoredSide:
    """Scores that are there."""

    def __init__(self, file: ScoredFile):
        self._file = file

    def submit(self, row: ComparedRow) -> "Future[Mapping[str, Any]]":
        future: Future[Mapping[str, Any]] = Future()
        future.set_result(self._file.read(row.sample.id))
        return future

    def scores(self, row: ComparedRow, result: Mapping[str, Any]) -> Mapping[str, Any]:
        return result

    def check_end(self) -> None:
        """Nothing can have failed."""

    def cost(self) -> None:
        return None

    def close(self) -> None:
        """The file is whoever opened it's."""


class Both:
    """What both sides have begun for a row, as the window awaits it."""

    def __init__(self, futures: "tuple[Future[Any], Future[Any]]"):
        self._futures = futures

    def done(self) -> bool:
        """Whether both have come."""
        return all(future.done() for future in self._futures)

    def result(self) -> tuple[Any, Any]:
        """(A's, B's), once both have come; the exception of the first that has one, a JobError with the side."""
        found = []
        for place, future in enumerate(self._futures):
            with of_side(place):
                found.append(future.result())
        return found[0], found[1]


@contextmanager
def of_side(place: int) -> Iterator[None]:
    """A JobError begins with the side, "A: " or "B: ": both may be the same file."""
    try:
        yield
    except JobError as error:
        raise JobError(f"{'AB'[place]}: {error}") from error


class Busy:
    """For how many seconds at least one row has been under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # rows begin in one thread and end in another
        self._under_way = 0
        self._since = 0.0
        self.seconds = 0.0

    def begin(self) -> None:
        """One more row is under way."""
        self._count(1)

    def end(self) -> None:
        """One row less is."""
        self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            now = time.perf_counter()
            if self._under_way:
                self.seconds += now - self._since
            self._since = now
            self._under_way += change
