"""Write plain answers (see `notation.plain`) in one form, before they are read as numbers or formulas."""

import re
from collections.abc import Sequence

from rewardlab_math import inequalities, intervals, named_units, ratios, repeating, set_notation, units
from rewardlab_math.plain_text import as_latex
from rewardlab_math.vectors import with_transposed_names

_LEIBNIZ = r"d(?:\^\{?\d\}?)?\s*([A-Za-z])\s*\}\s*\{\s*(d)\s*([A-Za-z](?:\^\{?\d\}?)?)"
_DERIVATIVE = re.compile(rf"\\[dt]?frac\s*\{{\s*{_LEIBNIZ}\s*\}}")
_PRIMED = re.compile(r"(?<![A-Za-z\\])([A-Za-z])('{1,3})(?![A-Za-z'])")
_REALS = re.compile(r"\A[A-Za-z]\s*\\in\s*(?=\(-\\infty, \\infty\)\Z)")
_NAMED_SET = re.compile(r"\A[A-Za-z]\s*(?:=|\\in(?![A-Za-z]))\s*(?=[(\[][^=<>]*\\(?:cup|cap|setminus)(?![A-Za-z]))")
_VECTOR = re.compile(r"\A(?:\\left\s*)?\\langle(?![A-Za-z])\s*([^<>]*?)\s*(?:\\right\s*)?\\rangle\Z")
_NAMES = {r"\varnothing": r"\emptyset", r"\lbrace": r"\{", r"\rbrace": r"\}"}
_NAMED = re.compile(r"\\(?:varnothing|[lr]brace)(?![A-Za-z])")
_BOTH_SIGNS = re.compile(r"\A(?P<name>[A-Za-z]\s*\([^()=]{1,9}\))\s*=\s*\\pm(?![A-Za-z])\s*(?P<term>[^=<>,;+-]+)\Z")
_UNION = re.compile(r"(?<=[)\]])\s*U\s*(?=[(\[])")
_DECIMAL_COMMA = re.compile(r"\d,\d")


def standard(text: str, *, point_only: bool) -> str:
    """Return a plain answer in mathematicians' notation.

    Repeating decimals are fractions, intervals are written as usual, and what is typed as on a keyboard is LaTeX.

    Args:
        point_only: the language marks decimals only with a point.
    """
    text = set_notation.as_intervals(as_latex(units.without_inner_units(named_units.summed(text))))
    text = _UNION.sub(r" \\cup ", inequalities.as_union(text))
    if "^" in text:
        text = with_transposed_names(text)
    if "'" in text:
        text = _PRIMED.sub(lambda name: f"{name[1]}_{{{'p' * len(name[2])}}}", text)
    if "\\" in text:
        text = _DERIVATIVE.sub(r"\1_{\2\3}", text)
        text = _BOTH_SIGNS.sub(r"\g<name>=\g<term>, \g<name>=-(\g<term>)", text)
        text = _NAMED_SET.sub("", _REALS.sub("", text))
        text = _VECTOR.sub(r"(\1)", _renamed(text))
    return intervals.standard(ratios.as_tuple(repeating.with_fractions(text)), point_only=point_only)


def _renamed(text: str) -> str:
    """Return a text in which signs of two names have the one that the parser knows."""
    return _NAMED.sub(lambda name: _NAMES[name.group()], text)


def joined(parts: Sequence[str]) -> str:
    """Return the parts of one answer as a list, parted by semicolons if a comma may mark decimals."""
    return ("; " if any(map(_DECIMAL_COMMA.search, parts)) else ", ").join(parts)
