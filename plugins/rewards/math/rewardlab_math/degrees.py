r"""Write the angles of trigonometric functions in radians: `\sin 30^\circ` is `\sin (\frac{30\pi}{180})`.

Elsewhere degrees are a unit, which an answer may lack.
"""

import re

_FUNCTION = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc)(?![A-Za-z])(?!\s*\^\s*\{?\s*-)")
_ANGLE = re.compile(
    r"(?P<size>\d{1,12}(?:\.\d{1,12})?|\\frac\s*\{\d{1,9}\}\s*\{\d{1,9}\}|\\?[A-Za-z]{1,12})\s*"
    r"(?:\^\s*(?:\{\s*\\(?:circ|degree)\s*\}|\\(?:circ|degree)(?![A-Za-z]))|\\degree(?![A-Za-z]))"
)


def in_radians(formula: str) -> str:
    """Return a formula with trigonometric functions, of which no inverse, with each angle in degrees in radians."""
    if not _FUNCTION.search(formula) or "\\arc" in formula:
        return formula
    return _ANGLE.sub(r"(\\frac{\g<size>\\pi}{180})", formula)
