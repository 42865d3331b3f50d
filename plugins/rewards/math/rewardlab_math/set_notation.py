r"""Write sets of numbers as intervals: `\mathbb{R}\setminus\{0\}`, `\{x \mid x > 3\}`, `x \ne 0`, all real numbers.

What a set is called inside of its braces says nothing: `\{t : t > 3\}` is the same one.
"""

import re

from rewardlab_math.inequalities import REALS, condition
from rewardlab_math.wording import without_text_groups

_DIFFERENCE = re.compile(
    r"\\(?:backslash|smallsetminus)(?![A-Za-z])|(?<=[)\]}])\s*[-/]\s*(?=\\\{|\\left\s*\\\{)|\\(?=\s*\\\{)(?<=[)\]}]\\)"
)
_REAL = r"(?:\\math(?:bb|bf|rm)\s*(?:\{\s*R\s*\}|R(?![A-Za-z]))|\\R(?![A-Za-z])|\\Reals(?![A-Za-z]))"
_PART = (
    r"(?:\s*[\^_]\s*(?:(?P<bare>[+*-])"
    r"|\{\s*(?P<braced>[+*-]|\\ast|\\star|[<>]\s*0|\\[gl](?:e|eq|eqslant)\s*0|\\neq?\s*0)\s*\}))?"
)
_REALS = re.compile(_REAL + _PART + r"(?!\s*\^)")
_HALVES = {
    "+": r"(0, \infty)",
    ">": r"(0, \infty)",
    "-": r"(-\infty, 0)",
    "<": r"(-\infty, 0)",
    r"\g": r"[0, \infty)",
    r"\l": r"(-\infty, 0]",
    "*": r"(-\infty, 0) \cup (0, \infty)",
    r"\n": r"(-\infty, 0) \cup (0, \infty)",
}
_OPEN, _CLOSE = r"(?:\\left\s*)?\\(?:\{|lbrace(?![A-Za-z]))", r"(?:\\right\s*)?\\(?:\}|rbrace(?![A-Za-z]))"
_BUILDER = re.compile(
    rf"{_OPEN}\s*(?P<name>\\?[A-Za-z]+)\s*(?:\\in\s*(?P<domain>\(-\\infty, \\infty\)))?\s*"
    r"(?:\\(?:mid|vert|colon)(?![A-Za-z])|[|:;])\s*"
    rf"(?P<condition>(?:(?!\\[{{}}]|\\[lr]brace).)*?)\s*{_CLOSE}"
)
_BARE_BUILDER = re.compile(
    r"(?P<name>[A-Za-z])\s*(?P<domain>\\in\s*\(-\\infty, \\infty\)\s*)?\|\s*(?P<condition>[^|]*)"
)
_ALL_REAL = re.compile(
    r"(?:the set of )?(?:all )?(?:the )?(?:reals|real numbers)(?: \w)?"
    r"(?:,? (?:except(?: for)?|other than|but) (?:\w\s*=\s*)?(?P<out>-?\d{1,12}(?:/\d{1,12})?))?",
    re.IGNORECASE,
)


def as_intervals(text: str) -> str:
    """Return a plain answer (see `notation.plain`) in which sets of real numbers are intervals."""
    if words := _ALL_REAL.fullmatch(" ".join(without_text_groups(text).split())):
        return rf"{REALS} \setminus \{{{words['out']}\}}" if words["out"] else REALS
    if "\\" in text:
        text = _DIFFERENCE.sub(r" \\setminus ", _REALS.sub(_half, text))
        whole = _BUILDER.fullmatch(text)
        if whole and whole["condition"].strip():
            return condition(whole["condition"], whole["name"]) or whole["condition"]
        text = _BUILDER.sub(_from_builder, text)
    if bare := _BARE_BUILDER.fullmatch(text):
        return condition(bare["condition"], bare["name"]) or text
    return text


def _half(reals: re.Match[str]) -> str:
    sign = reals["bare"] or reals["braced"]
    if sign is None:
        return REALS
    key = sign if sign in "+-*" else "*" if sign in (r"\ast", r"\star") else sign[:2] if sign[0] == "\\" else sign[0]
    return _HALVES[key]


def _from_builder(builder: re.Match[str]) -> str:
    return condition(builder["condition"], builder["name"]) or builder.group()
