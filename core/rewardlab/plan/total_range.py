"""The bounds of a recipe's `total`."""

from collections.abc import Mapping

from rewardlab.recipe.expression import PROGRESS, Expression
from rewardlab.recipe.use import ComponentUse
from rewardlab.specs import RewardSpec

Interval = tuple[float, float]
ALL_PROGRESS: Mapping[str, Interval] = {PROGRESS: (0.0, 1.0)}

GUESSES = ((0.3, 0.4), (-7.9, -7.1))
"""Two guesses for names whose range is unknown: an error that occurs with both does not come from the guess."""


def effective_range(spec: RewardSpec, use: ComponentUse) -> Interval:
    """Return the range of a component in `total`: its own, widened by the numbers that replace missing values."""
    stand_ins = [float(v) for v in (use.on_missing, use.on_abstain) if isinstance(v, float | int)]
    if spec.runs == "worker" and spec.on_timeout != "fail":
        stand_ins.append(float(spec.on_timeout))
    return min(*spec.range, *stand_ins), max(*spec.range, *stand_ins)


def total_range(expression: Expression, ranges: Mapping[str, Interval]) -> Interval | None:
    """Return an interval that contains every total; None if `ranges` lacks a name.

    Raises ValueError if a denominator can be 0 or a part too large, whatever the missing ranges are.
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
