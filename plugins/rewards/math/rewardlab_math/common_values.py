r"""Tell that two formulas are equal wherever both have real values: `\sqrt{L}/\sqrt{g}` is `\sqrt{L/g}`.

Algebra does not: the roots may be of negative numbers. `\sqrt{x^2}` is not `x`, which a negative x shows.
"""

import random

import sympy

MIN_VALUES = 6
"""points at which both formulas must have a real value, and the same"""

_DIGITS = 30
_SAME = sympy.Float("1e-20", _DIGITS)
_ROOT, _LOGARITHM = sympy.Pow, sympy.log
_WITH_CASES = (sympy.Abs, sympy.sign, sympy.floor, sympy.ceiling, sympy.Max, sympy.Min, sympy.Piecewise, sympy.Mod)
_COMPUTED = (sympy.Integral, sympy.Sum, sympy.Product, sympy.Limit, sympy.Derivative, sympy.factorial, sympy.Float)
_MAX_NAMES = 8


def _points() -> list[list[sympy.Rational]]:
    """Return values for each name at many points: of either sign, between 0 and 1, and positive."""
    chance = random.Random(7)
    ranges = [(-3000, 3000)] * 16 + [(1, 1000)] * 8 + [(1, 5000)] * 8
    return [[sympy.Rational(chance.randint(*edges) or 1, 1009) for _ in range(_MAX_NAMES)] for edges in ranges]


_POINTS = _points()


def agree(formula: sympy.Basic, other: sympy.Basic) -> bool:
    """Return whether formulas with roots or logarithms of the same names have the same value wherever both are real."""
    if not (isinstance(formula, sympy.Expr) and isinstance(other, sympy.Expr)):
        return False
    names = sorted({symbol.name for symbol in formula.free_symbols})
    if not 0 < len(names) <= _MAX_NAMES or names != sorted({symbol.name for symbol in other.free_symbols}):
        return False
    if any(
        formula.has(*_WITH_CASES, *_COMPUTED, sympy.I, sympy.zoo, sympy.nan, sympy.oo) for formula in (formula, other)
    ):
        return False
    if not (formula.has(_LOGARITHM) or other.has(_LOGARITHM) or _roots(formula) or _roots(other)):
        return False
    values = 0
    for point in _POINTS:
        at = dict(zip(names, point, strict=False))
        value, other_value = _real_value(formula, at), _real_value(other, at)
        if value is None or other_value is None:
            continue
        if abs(value - other_value) > _SAME * max(abs(value), abs(other_value)):
            return False
        values += 1
    return values >= MIN_VALUES


def _roots(formula: sympy.Expr) -> list[sympy.Pow]:
    return [power for power in formula.atoms(_ROOT) if not power.exp.is_integer]


def _real_value(formula: sympy.Expr, at: dict[str, sympy.Rational]) -> sympy.Float | None:
    """Return the value at a point; None if it, or that of a root or logarithm in it, is not real."""
    chosen = {symbol: at[symbol.name] for symbol in formula.free_symbols}
    inside = [root.base for root in _roots(formula)] + [log.args[0] for log in formula.atoms(_LOGARITHM)]
    for part in [*inside, formula]:
        value = part.xreplace(chosen).evalf(_DIGITS)
        if not (value.is_Float or value.is_Rational or value.is_Integer) or (part is not formula and value < 0):
            return None
    return value
