"""Distinguish formulas by their values at a few points: much quicker than algebra; a reported difference is certain."""

from collections.abc import Iterable, Mapping

import sympy

_RELATIVE = 1e-4
"""the relative difference up to which decimals may be rounded"""
_POINTS = ((0.7310, 1.1207), (1.3713, 0.4129))
"""the first value, and the factor from each to the next: positive, of no order, and none near 0, 1 or a half"""
_COMPUTED = (sympy.Integral, sympy.Sum, sympy.Product, sympy.Limit, sympy.Derivative)


def differ(one: sympy.Basic, other: sympy.Basic) -> bool:
    """Return whether two formulas of the same kind certainly differ; False if only algebra can tell."""
    if isinstance(one, sympy.Expr) and isinstance(other, sympy.Expr):
        return _differ_at_a_point(one, other)
    if isinstance(one, sympy.MatrixBase) and isinstance(other, sympy.MatrixBase):
        return one.shape != other.shape or any(map(differ, one, other))
    if isinstance(one, sympy.Interval) and isinstance(other, sympy.Interval):
        return differ(one.start, other.start) or differ(one.end, other.end)
    if isinstance(one, sympy.Tuple) and isinstance(other, sympy.Tuple):
        return len(one) != len(other) or any(map(differ, one, other))
    return False


def explicit_sides(one: sympy.Basic, other: sympy.Basic) -> tuple[sympy.Basic, sympy.Basic] | None:
    """Return the right sides of `y = f(x)` and `y = g(x)`, if solving has nothing to add; None for anything else."""
    if not (isinstance(one, sympy.Eq) and isinstance(other, sympy.Eq) and one.lhs == other.lhs):
        return None
    explicit = isinstance(one.lhs, sympy.Symbol) and not {one.lhs} & (one.rhs.free_symbols | other.rhs.free_symbols)
    return (one.rhs, other.rhs) if explicit else None


def _differ_at_a_point(one: sympy.Expr, other: sympy.Expr) -> bool:
    if one.has(*_COMPUTED) or other.has(*_COMPUTED):
        return False
    names = sorted({symbol.name for symbol in one.free_symbols | other.free_symbols})
    for start, factor in _POINTS[: 2 if names else 1]:
        point = {name: start * factor**place + 0.01 * place for place, name in enumerate(names)}
        value, other_value = _value(one, point), _value(other, point)
        if value is None or other_value is None:
            return False
        if abs(value - other_value) > _RELATIVE * max(abs(value), abs(other_value)):
            return True
    return False


def _value(formula: sympy.Expr, point: Mapping[str, float]) -> complex | None:
    """Return the value at a point, of which symbols of one name have the same; None if no value is finite."""
    symbols: Iterable[sympy.Symbol] = formula.free_symbols
    try:
        value = complex(sympy.N(formula, 15, subs={symbol: point[symbol.name] for symbol in symbols}))
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        return None
    return value if abs(value) < float("inf") else None
