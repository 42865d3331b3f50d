"""Accept an answer that rounds to the gold answer as it is shown: 1587/52 for 30.52, if a recipe says `rounding: gold`.

The gold answer must be one number with decimals; an integer shows no precision. The answer's value may lie at most half
a unit of its last digit away: 30.5 is not 30.52. Of a percentage the answer may be the share.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

import sympy

from rewardlab_math import algebra, guard
from rewardlab_math.deadline import TimeLimitExceeded, call_within
from rewardlab_math.quantities import quantities
from rewardlab_math.standard import standard

_DECIMAL = re.compile(r"\d\.(\d{1,12})(?!\d)")


def rounds_to(gold: str, answer: str, *, point_only: bool, seconds: float) -> bool:
    """Return whether a plain answer rounds to the gold one, at the precision that this shows."""
    shown = _DECIMAL.findall(gold)
    rights = quantities(gold, point_only=True)
    if len(shown) != 1 or len(rights) != 1:
        return False
    (right,) = rights
    half = Fraction(1, 2 * 10 ** len(shown[0]))
    for value in _values(standard(answer, point_only=point_only), point_only, seconds):
        if abs(value - right.value) <= half or (right.percent and abs(100 * value - right.value) <= half):
            return True
    return False


def _values(answer: str, point_only: bool, seconds: float) -> Iterator[Fraction]:
    """Yield the values of an answer that is one number."""
    numbers = quantities(answer, point_only=point_only)
    yield from (number.value for number in numbers)
    if numbers:
        return
    try:
        guard.check(answer)
        parsed = call_within(seconds, lambda: algebra.formulas(answer, decimal_comma=not point_only))
        for formula in parsed:
            if isinstance(formula, sympy.Eq):
                formula = formula.rhs
            value = formula.evalf(30) if isinstance(formula, sympy.Expr) and not formula.free_symbols else None
            if isinstance(value, sympy.Float | sympy.Rational):
                yield Fraction(str(value))
    except (guard.RefusedFormula, TimeLimitExceeded, algebra.UnparsableFormula):
        return
