r"""Write repeating decimals as fractions: `0.\overline{3}`, `0,(3)` and `0.\dot{3}` are \frac{1}{3}."""

import re
from fractions import Fraction

_DIGITS = 40
"""digits of the longest decimal that is read; algebra takes no longer ones anyway"""

_REPEATING = re.compile(
    r"(?<![\d.,\\])(?P<whole>\d*)[.,](?P<once>\d*)"
    r"(?:\\over(?:line|rightarrow)\s*\{\s*(?P<line>\d+)\s*\}|\\bar\s*\{\s*(?P<bar>\d+)\s*\}|\\(?:overline|bar)\s*(?P<one>\d)|\((?P<round>\d+)\)"
    r"|\\(?:dot|overset\{[.\\a-z]*\})\s*(?:\{(?P<first>\d)\}|(?P<bare>\d))"
    r"(?:(?P<between>\d*)\\dot\s*(?:\{(?P<last>\d)\}|(?P<bare_last>\d)))?)(?![\d(\\])"
)


def with_fractions(text: str) -> str:
    """Return a plain answer (see `notation.plain`) in which repeating decimals are fractions, which are exact."""
    return _REPEATING.sub(_fraction, text) if any(sign in text for sign in r"(\ ".strip()) else text


def _fraction(match: re.Match) -> str:
    part = {name: digits or "" for name, digits in match.groupdict().items()}
    again = part["line"] or part["bar"] or part["one"] or part["round"]
    again = again or part["first"] + part["bare"] + part["between"] + part["last"] + part["bare_last"]
    whole, once = part["whole"] or "0", part["once"]
    if len(whole + once + again) > _DIGITS:
        return match.group()
    nines = 10 ** len(once) * (10 ** len(again) - 1)
    value = Fraction(int(whole + once + again) - int(whole + once), nines)
    return str(value) if value.denominator == 1 else rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
