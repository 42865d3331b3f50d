"""The settings of a stage's alarms: what the recipe says of them, and what its plan knows of the scores."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rewardlab.plan import Plan
from rewardlab.recipe import AlarmLevels, Divergence, DpoStage, RlStage, SftStage


@dataclass(frozen=True, kw_only=True)
class AlarmSettings:
    """The settings of a stage that the conditions of its alarms depend on.

    Args:
        low, high: the bounds of the total; None if nobody knows them.
        tops: the most that a component can give, of those for which it is known.
        ruled: components whose judges go by a rule, without a network: what those do not decide is a tie.
        correctness: the component that says whether an answer is right, if the recipe names one.
        batch_size: prompts a step.
        sampled: whether the policy trains on what it says itself.
        grouped: whether a prompt has several completions.
    """

    divergence: Divergence = field(default_factory=Divergence)
    levels: AlarmLevels = field(default_factory=AlarmLevels)
    low: float | None = None
    high: float | None = None
    tops: Mapping[str, float] = field(default_factory=dict)
    ruled: Collection[str] = ()
    correctness: str | None = None
    batch_size: int = 1
    sampled: bool = True
    grouped: bool = True

    def steps_of_enough_groups(self, steps: int) -> int:
        """Return how many steps have `levels.groups` groups, at least `steps`: of few groups, a step says little."""
        return max(steps, math.ceil(self.levels.groups / self.batch_size))


def settings_of(plan: Plan, index: int) -> AlarmSettings:
    """Return the settings of a stage that trains."""
    stage, recipe = plan.recipe.stages[index], plan.recipe
    assert isinstance(stage, SftStage | DpoStage | RlStage)
    low, high = (_bounded(bound) for bound in plan.total_range or (None, None))
    zeroed = isinstance(stage, RlStage) and stage.on_truncated == "zero"
    return AlarmSettings(
        divergence=stage.divergence,
        levels=recipe.alarms.levels,
        low=min(low, 0.0) if zeroed and low is not None else low,
        high=high,
        tops={
            name: component.spec.range[1]
            for name, component in plan.components.items()
            if component.spec.range is not None
        },
        ruled=[name for name, component in plan.components.items() if _is_ruled(plan, component.judges())],
        correctness=None if recipe.reward is None else recipe.reward.correctness,
        batch_size=stage.batch_size,
        sampled=isinstance(stage, RlStage),
        grouped=isinstance(stage, RlStage) and stage.group_size > 1,
    )


def _is_ruled(plan: Plan, judges: Sequence[str]) -> bool:
    return bool(judges) and all(name in plan.judges and plan.judges[name].spec.local for name in judges)


def _bounded(bound: float | None) -> float | None:
    return bound if bound is not None and math.isfinite(bound) else None
