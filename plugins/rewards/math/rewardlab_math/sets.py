r"""Put sets of numbers into one form: `\mathbb{R}\setminus\{0\}` is the union of two intervals."""

import sympy

_OPERATIONS = (sympy.Complement, sympy.Intersection, sympy.Union)


def evaluated(formula: sympy.Basic) -> sympy.Basic:
    """Return a formula whose differences, sections and unions of sets are computed; the parser leaves them as read."""
    if not isinstance(formula, sympy.Basic) or not formula.has(*_OPERATIONS):
        return formula
    parts = [evaluated(part) for part in formula.args]
    return formula.func(*parts)
