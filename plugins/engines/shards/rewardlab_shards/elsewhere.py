"""A scorer that scores nothing itself: totals are composed here, components' scores come from somebody else."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from rewardlab import Group, GroupStream, Score
from rewardlab.judging import Usage, format_summary
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


class JudgesElsewhere:
    """The judges that others ask, as a `Scorer` knows its own: what they were asked, and their end."""

    def __init__(self, source: ScoreSource) -> None:
        self._source = source

    def attempt_usage(self) -> dict[str, Usage]:
        """Return the usage of each judge that was asked."""
        return {name: usage for name, usage in self._source.usage().items() if usage.asked}

    def summary(self) -> list[str]:
        """Return a line for each judge that was asked."""
        return format_summary({name: (usage, Usage()) for name, usage in self._source.usage().items()})

    def close(self) -> None:
        """End the work of all who ask them."""
        self._source.close()


class ScorerElsewhere(Scorer):
    """The reward of a plan whose components are scored by a `ScoreSource`; no reward, judge or model is opened here."""

    def __init__(self, plan: Plan, source: ScoreSource) -> None:
        super().__init__(replace(plan, judges={}), executors=dict.fromkeys(plan.components, _NOBODY), judges={})
        self.hosts = source.hosts
        self.judges: Any = JudgesElsewhere(source)
        self._source = source

    async def scores_of(self, stream: GroupStream, names: Sequence[str], timeout: float | None) -> Scores:
        """Return the scores that the source has for a group."""
        scores = await self._source.scores(await stream.group())
        return {name: scores[name] for name in names}


_NOBODY: Any = object()
"""the executor of a component that is never called"""
