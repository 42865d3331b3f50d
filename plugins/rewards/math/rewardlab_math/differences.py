"""Distinguish formulas by their values at a few points: much quicker than algebra; a reported difference is certain."""

from collections.abc import Mapping, Sequence

import sympy

_DIGITS = 40
"""computed digits of a value; sympy computes with more where it loses some"""
_EXACT = sympy.Float("1e-30", _DIGITS)
"""the relative difference beyond which formulas without decimals differ"""
_ROUNDED = sympy.Float("1e-4", _DIGITS)
"""the relative difference up to which decimals may be rounded"""
_POINTS = [(sympy.Rational(a), sympy.Rational(b)) for a, b in (("0.7310", "1.1207"), ("1.3713", "0.4129"))]
"""the first value, and the factor from each to the next: positive, of no order, and none near 0, 1 or a half"""
_COMPUTED = (sympy.Integral, sympy.Sum, sympy.Product, sympy.Limit, sympy.Derivative)


def differ(formula: sympy.Basic, other: sympy.Basic) -> bool:
    """Return whether two formulas of the same kind certainly differ; False if only algebra can tell.

    Values may have any size: 2^{-2000} is not 2^{-2001}, though both are 0 to a float.
    """
    if isinstance(formula, sympy.Expr) and isinstance(other, sympy.Expr):
        return _differ_at_a_point(formula, other)
    if isinstance(formula, sympy.MatrixBase) and isinstance(other, sympy.MatrixBase):
        return formula.shape != other.shape or any(map(differ, formula, other))
    return False


def _differ_at_a_point(expr: sympy.Expr, other: sympy.Expr) -> bool:
    if expr.has(*_COMPUTED) or other.has(*_COMPUTED):
        return False
    rounded = expr.has(sympy.Float) or other.has(sympy.Float)
    names = sorted({symbol.name for symbol in expr.free_symbols | other.free_symbols})
    if not rounded and not names and (fractions := _fractions(expr, other)):
        return fractions[0] != fractions[1]
    for start, factor in _POINTS[: 2 if names else 1]:
        point = {name: start * factor**place + sympy.Rational(place, 100) for place, name in enumerate(names)}
        value, other_value = _parts(expr, point), _parts(other, point)
        if value is None or other_value is None:
            return False
        distance = max(abs(a - b) for a, b in zip(value, other_value, strict=True))
        uncertain = sum(map(_uncertainty, (*value, *other_value)))
        largest = max(map(abs, (*value, *other_value)))
        if distance > max(uncertain, (_ROUNDED if rounded else _EXACT) * largest):
            return True
    return False


def _fractions(expr: sympy.Expr, other: sympy.Expr) -> tuple[sympy.Rational, sympy.Rational] | None:
    """Return the exact values of two numbers; None if one is not rational."""
    try:
        expr, other = expr.doit(), other.doit()
    except Exception:  # sympy's evaluation raises whatever its own code runs into
        return None
    return (expr, other) if isinstance(expr, sympy.Rational) and isinstance(other, sympy.Rational) else None


def _parts(formula: sympy.Expr, point: Mapping[str, sympy.Rational]) -> Sequence[sympy.Number] | None:
    """Return real and imaginary part at a point, of which symbols of one name have the same; None if none is finite."""
    try:
        if formula.has(sympy.UnevaluatedExpr):  # percents
            formula = formula.doit()
        value = sympy.N(formula, _DIGITS, subs={symbol: point[symbol.name] for symbol in formula.free_symbols})
        parts = value.as_real_imag()
    except Exception:  # sympy's evaluation raises whatever its own code runs into
        return None
    return parts if all(isinstance(part, sympy.Number) and part.is_finite for part in parts) else None


def _uncertainty(part: sympy.Number) -> sympy.Number:
    """Return how far a computed number may be off: where digits cancel, sympy knows fewer than it was asked for."""
    return abs(part) * sympy.Float(2) ** (2 - part._prec) if isinstance(part, sympy.Float) else sympy.Integer(0)


def explicit_sides(formula: sympy.Basic, other: sympy.Basic) -> tuple[sympy.Basic, sympy.Basic] | None:
    """Return the right sides of `y = f(x)` and `y = g(x)`, or `x < 1` and `x < 2`, if solving has nothing to add.

    None for anything else.
    """
    if not (isinstance(formula, sympy.Rel) and type(formula) is type(other) and formula.lhs == other.lhs):
        return None
    explicit = isinstance(formula.lhs, sympy.Symbol) and not {formula.lhs} & (
        formula.rhs.free_symbols | other.rhs.free_symbols
    )
    return (formula.rhs, other.rhs) if explicit else None
