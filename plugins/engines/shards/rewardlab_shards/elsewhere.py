"""A scorer that scores nothing itself: totals are composed here, components' scores come from somebody else."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from rewardlab import Context, Group, GroupStream, Score
from rewardlab.judging import Judges, JudgingSettings, Usage, format_summary, open_judges
from rewardlab.plan import Plan
from rewardlab.scoring import Scorer

WITHOUT_ON = "goes without --shard: it divides the rows itself"
Scores = Mapping[str, Sequence[Score]]


class ScoreSource(Protocol):
    """Whoever has, or makes, the scores of groups."""

    @property
    def hosts(self) -> int:
        """How many processes score."""

    async def scores(self, group: Group) -> Scores:
        """Return each component's scores of a complete group. JobError: what must end the job."""

    def usage(self) -> Mapping[str, Usage]:
        """Return what each judge was asked in this attempt."""

    def close(self) -> None:
        """End all work; calling it again does nothing."""


class JudgesElsewhere(Judges):
    """The judges that others ask, as a `Scorer` knows its own, beside those that are asked here."""

    def __init__(self, source: ScoreSource, here: Judges) -> None:
        super().__init__(here)
        self._source, self._here = source, here

    def usage(self) -> dict[str, Usage]:
        """Return the usage of each judge that was asked; of those of others, in this attempt."""
        return {**self._here.usage(), **self._elsewhere()}

    def attempt_usage(self) -> dict[str, Usage]:
        """Return the usage of each judge that was asked in this attempt."""
        return {**self._here.attempt_usage(), **self._elsewhere()}

    def summary(self) -> list[str]:
        """Return a line for each judge that was asked."""
        elsewhere = {name: (usage, Usage()) for name, usage in self._source.usage().items()}
        return [*self._here.summary(), *format_summary(elsewhere)]

    def close(self) -> None:
        """End the work of all who ask them."""
        try:
            self._here.close()
        finally:
            self._source.close()

    def _elsewhere(self) -> dict[str, Usage]:
        return {name: usage for name, usage in self._source.usage().items() if usage.asked}


class ScorerElsewhere(Scorer):
    """The reward of a plan whose components are scored by a `ScoreSource`; no reward or model is opened here.

    asked: the judges of the plan that this process asks itself, such as the policy of an evaluation.
    """

    def __init__(
        self, plan: Plan, source: ScoreSource, asked: Sequence[str] = (), judging: JudgingSettings | None = None
    ) -> None:
        super().__init__(replace(plan, judges={}), executors=dict.fromkeys(plan.components, _NOBODY), judges={})
        self.hosts = source.hosts
        self._source = source
        try:
            here, context = {name: plan.judges[name] for name in asked}, Context(seed=plan.recipe.seed)
            of_this = open_judges(here, self.home, context, judging or JudgingSettings())
        except BaseException:
            source.close()
            self.close()
            raise
        self.judges = JudgesElsewhere(source, of_this)

    async def scores_of(self, stream: GroupStream, names: Sequence[str], timeout: float | None) -> Scores:
        """Return the scores that the source has for a group."""
        scores = await self._source.scores(await stream.group())
        return {name: scores[name] for name in names}


_NOBODY: Any = object()
"""the executor of a component that is never called"""
