"""Which components a recipe's `total` is made of, and between which bounds it lies."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rewardlab.expression import Expression
from rewardlab.specs import RewardSpec
from rewardlab.uses import ComponentUse

if TYPE_CHECKING:
    from rewardlab.plan import Plan

Interval = tuple[float, float]

GUESSES = ((0.3, 0.4), (-7.9, -7.1))
"""Ranges for names of which none is known: what is wrong with either does not come from them."""


def uses_in_total(plan: "Plan") -> dict[str, ComponentUse]:
    """The settings of the components that the total of a plan names; a plan with a reward has one."""
    assert plan.expression is not None
    return {name: plan.components[name].use for name in plan.expression.names}


def effective_range(spec: RewardSpec, use: ComponentUse) -> Interval:
    """What `total` sees of a component: its range and the numbers that stand in where it has no value."""
    stand_ins = [float(v) for v in (use.on_missing, use.on_abstain) if isinstance(v, float | int)]
    if spec.runs == "worker" and spec.on_timeout != "fail":
        stand_ins.append(float(spec.on_timeout))
    return min(*spec.range, *stand_ins), max(*spec.range, *stand_ins)


def total_range(expression: Expression, ranges: Mapping[str, Interval]) -> Interval | None:
    """An interval that holds every total; None where `ranges` lacks a name.

    ValueError where a denominator can be 0 or a part too large, whatever the ranges that are lacking.
    """
    unknown = [name for name in expression.names if name not in ranges]
    if not unknown:
        return expression.range(ranges)
    findings = set()
    for guess in GUESSES:
        try:
            expression.range({**ranges, **dict.fromkeys(unknown, guess)})
        except ValueError as error:
            findings.add(str(error))
        else:
            return None
    if len(findings) == 1:
        raise ValueError(findings.pop())
    return None
