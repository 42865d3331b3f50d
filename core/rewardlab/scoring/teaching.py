"""The choice of groups that teach: one for every engine, by a group's outcome and not by its shaped total.

An all-wrong group whose completions differ in length alone would be a gradient of full size otherwise.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from rewardlab.errors import JobError
from rewardlab.plan.plan import UNSTABLE
from rewardlab.recipe.models import RewardSection
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.failed_rollouts import is_no_answer
from rewardlab.types import Score

ROUNDING = 1e-6
"""a share of the largest value or 1: values that differ by less are equal, as three times 1/3 is in single precision"""
Votes = tuple[Mapping[str, Sequence[Score]], Sequence[float | None]]
"""scores by component, and totals, of the same completions"""


@dataclass(frozen=True, kw_only=True)
class Teaching:
    """The groups that a recipe leaves out. by: the component that is the outcome; between: bounds of its mean."""

    by: str
    between: tuple[float, float] | None = None

    @classmethod
    def of(cls, reward: RewardSection) -> Self | None:
        """Return what a recipe says; None if every group teaches."""
        if reward.teach.flat == "keep" or reward.outcome is None:
            return None
        bounds = reward.teach.between
        return cls(by=reward.outcome, between=None if bounds is None else (bounds[0], bounds[1]))

    def why_left_out(self, scores: Sequence[Score], totals: Sequence[float | None]) -> str | None:
        """Return why a group with these outcomes does not teach, such as "flat in accuracy"; None if it does.

        A completion without a value has no vote, nor one without a total, which trains nothing.
        """
        present = _present(_votes(scores, totals))
        if _are_equal(present):
            return f"flat in {self.by}"
        mean = math.fsum(present) / len(present)
        if self.between is None or self.between[0] < mean < self.between[1]:
            return None
        return f"mean {self.by} {mean:.3g} is not between {self.between[0]:g} and {self.between[1]:g}"

    def decided(self, group: ScoredGroup, use: ComponentUse, of_pool: Votes | None = None) -> ScoredGroup:
        """Return a group with the reason why it does not teach, if it does not.

        use: of the outcome. If its `on_missing` or `on_abstain` is `fail`, a failure or an abstention is a JobError,
        though it be no part of the total.
        of_pool: where advantages are less the mean of a whole pool, the scores and totals of that: among others that
        are right, a group that is all wrong teaches.
        """
        components, totals = of_pool or (group.components, group.totals)
        for index, score in enumerate(components[self.by]):
            excused = is_no_answer(score) or UNSTABLE in score.info
            if score.error is not None and use.on_missing == "fail" and not excused:
                place = group.sample.place(index)
                raise JobError(f"component {self.by!r} ({use.use}) failed on {place}: {score.error}")
            if score.value is None and score.error is None and use.on_abstain == "fail":
                place, hint = group.sample.place(index), f"set reward.components.{self.by}.on_abstain to a number"
                problem = f"component {self.by!r} ({use.use}), which says which groups teach, abstains on {place}"
                raise JobError(f"{problem}; {hint}, and it has no vote there")
        why = self.why_left_out(components[self.by], totals)
        return group if why is None else replace(group, left_out=why)


def as_trainers_get_it(group: ScoredGroup) -> ScoredGroup:
    """Return a group with the rewards that a trainer of other makers gets: if it is left out, the same one for all.

    Such a trainer takes a baseline off by itself, so that nothing of the group is left to learn.
    """
    if group.left_out is None:
        return group
    there = [shaped for shaped, total in zip(group.shaped, group.totals, strict=True) if total is not None]
    level = 0.0 if group.centred or not there else common_reward(there) if len(group.shaped) > 1 else there[0]
    return replace(group, shaped=[level] * len(group.shaped))


def common_reward(values: Sequence[float]) -> float:
    """Return the mean of values, rounded to 12 bits: single precision adds up 4,096 of that without an error.

    So the mean that a trainer takes off is the same number: else rounding alone were left, and divided by itself.
    """
    fraction, exponent = math.frexp(math.fsum(values) / len(values))
    return math.ldexp(round(fraction * 4096), exponent - 12)


def _votes(scores: Sequence[Score], totals: Sequence[float | None]) -> list[float | None]:
    return [None if total is None else score.value for score, total in zip(scores, totals, strict=True)]


def _present(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _are_equal(values: Sequence[float]) -> bool:
    low, high = min(values, default=0.0), max(values, default=0.0)
    return high - low <= ROUNDING * max(1.0, abs(low), abs(high))
