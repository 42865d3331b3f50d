"""One side of a comparison: a recipe that scores now, or the scores of a file."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Protocol

from rewardlab.errors import JobError
from rewardlab.judging import JudgingSettings, NamedJudges
from rewardlab.plan import Plan
from rewardlab.scorefile import output_row
from rewardlab.scoring import MissingGuard, ScoredGroup, Scorer

from rewardlab_measure.compare.rows import ComparedRow
from rewardlab_measure.compare.scored_file import ScoredFile
from rewardlab_measure.compare.shared_executor import shared_executors
from rewardlab_measure.compare.shared_judges import RecipeJudge
from rewardlab_measure.compare.shared_settings import in_common


class Side(Protocol):
    """A side of a comparison, as the job uses it."""

    def submit(self, row: ComparedRow) -> "Future[Any]":
        """Start scoring a row."""

    def scores(self, row: ComparedRow, result: Any) -> Mapping[str, Any]:
        """Return the row as a line of `score`, from its future's `result`. A JobError as the recipe's policies say."""

    def check_end(self) -> None:
        """Raise a JobError if a component gave nothing but failures."""

    def cost(self) -> dict[str, Any] | None:
        """Return {"judges": {name: RecipeUsage as a dict}, "measured_seconds"}; None if nothing was scored."""

    def close(self) -> None:
        """Stop what scores; calling it again does nothing."""


class RecipeSide:
    """A side that scores now, with a recipe's rewards. `place` is 0 for A, 1 for B.

    Args:
        beside: the other side, which scores the same rows and is closed later. Under the same seed the two share
            what both recipes declare alike: one component scores for both, and one process that holds a model
            answers both.
    """

    def __init__(
        self,
        plan: Plan,
        place: int,
        judges: NamedJudges[RecipeJudge],
        say: Callable[[str], None],
        beside: "RecipeSide | None" = None,
    ) -> None:
        self._plan, self._place, self._judges = plan, place, judges
        self._guard = MissingGuard.over_rows(plan.uses_in_total)
        self._busy = BusyClock()
        executors, workers = None, None
        if beside is not None and beside._plan.recipe.seed == plan.recipe.seed:
            executors, workers = shared_executors(beside._scorer, in_common(beside._plan, plan)), beside._scorer.workers
        self._scorer: Scorer = Scorer(
            plan, judging=JudgingSettings(say=say), judges=judges, executors=executors, workers=workers
        )

    def warm(self) -> None:
        """Start worker processes now."""
        self._scorer.warm()

    def submit(self, row: ComparedRow) -> "Future[ScoredGroup]":
        self._busy.begin()
        future = self._scorer.submit(row.groups[self._place], evaluation=True)
        future.add_done_callback(lambda _: self._busy.end())
        return future

    def scores(self, row: ComparedRow, result: ScoredGroup) -> Mapping[str, Any]:
        with naming_side(self._place):
            self._guard.add(result)
        return output_row(row.given_id, result)

    def check_end(self) -> None:
        with naming_side(self._place):
            self._guard.check_end()

    def cost(self) -> dict[str, Any]:
        judges = {name: judge.usage.as_dict() for name, judge in self._judges.items() if judge.usage.questions}
        return {"judges": judges, "measured_seconds": self._busy.seconds}

    def close(self) -> None:
        self._scorer.close()


class ScoredSide:
    """A side that was scored before: its scores are read from a file."""

    def __init__(self, file: ScoredFile) -> None:
        self._file = file

    def submit(self, row: ComparedRow) -> "Future[Mapping[str, Any]]":
        future: Future[Mapping[str, Any]] = Future()
        future.set_result(self._file.read(row.sample.id))
        return future

    def scores(self, row: ComparedRow, result: Mapping[str, Any]) -> Mapping[str, Any]:
        return result

    def check_end(self) -> None:
        """Do nothing: a file's scores cannot fail."""

    def cost(self) -> None:
        return None

    def close(self) -> None:
        """Do nothing: the file is opened for each row that is read."""


class SideFutures:
    """The futures of both sides for one row, as one future for the window that awaits it."""

    def __init__(self, futures: "tuple[Future[Any], Future[Any]]") -> None:
        self._futures = futures

    def done(self) -> bool:
        """Return whether both sides have finished."""
        return all(future.done() for future in self._futures)

    def cancel(self) -> None:
        """Stop scoring the row for both sides."""
        for future in self._futures:
            future.cancel()

    def result(self) -> tuple[Any, Any]:
        """Return (A's result, B's result) once both are there.

        Raises the exception of the first side that has one; a JobError names the side.
        """
        results = []
        for place, future in enumerate(self._futures):
            with naming_side(place):
                results.append(future.result())
        return results[0], results[1]


@contextmanager
def naming_side(place: int) -> Iterator[None]:
    """Begin the text of a JobError with the side, "A: " or "B: ": both may be the same file."""
    try:
        yield
    except JobError as error:
        raise JobError(f"{'AB'[place]}: {error}") from error


class BusyClock:
    """A clock that runs while at least one row is under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # rows begin in one thread and end in another
        self._under_way = 0
        self._since = 0.0
        self.seconds = 0.0

    def begin(self) -> None:
        """Count one more row that is under way."""
        self._count(1)

    def end(self) -> None:
        """Count one row less that is under way."""
        self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            now = time.perf_counter()
            if self._under_way:
                self.seconds += now - self._since
            self._since = now
            self._under_way += change
