r"""Bring an answer and the right one to the same form where both may say the same in different ones.

Each step takes both texts, plain as of `notation.plain`, and returns them, one perhaps written otherwise: without
"for all real x", with the right answer's name of a bound variable, in degrees, as a column, or as `y = ...`.
"""

import re

from rewardlab_math import qualifiers
from rewardlab_math.bound_names import renamed

_ANGLE = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))(?!\s*(?:\\text\w*|\\mathrm)?\s*\{?\s*[CFK])")
_PI = re.compile(r"\\pi(?![A-Za-z])")
_COLUMN = re.compile(
    r"\\begin\s*\{[pb]matrix\}(?P<cells>[^&]*?)\\end\s*\{[pb]matrix\}|\\begin\s*\{[pb]matrix\}(?P<row>(?:(?!\\\\).)*?)\\end\s*\{[pb]matrix\}"
)
_BRACKETED = re.compile(r"\((?P<members>[^()]*(?:\([^()]*\)[^()]*)*)\)|\\langle(?P<angled>[^<>]*)\\rangle")
_EQUATION = re.compile(r"[^=<>]+=[^=<>]+")
_DEPENDENT = re.compile(r"(?<![A-Za-z\\])y(?![A-Za-z])|\\rho(?![A-Za-z])")
_NAMES = re.compile(r"\(\s*(?P<names>[^()=]*(?:\(\s*\w\s*\)[^()=]*)*)\)\s*(?:=|\\in(?![A-Za-z]))\s*(?=[(\\])")
_NAME = re.compile(r"\s*\\?[A-Za-z]+(?:_\w)?(?:\s*\(\s*\w\s*\))?\s*")
_CUP = re.compile(r"\\cup(?![A-Za-z])|(?<=[)\]])\s?U\s?(?=[(\[])")
_BETWEEN_INTERVALS = re.compile(
    r"(?<=[)\]])\s?(?:[,;]|\\(?:text|mathrm)\s?\{\s?(?:and|or)\s?\}|and|or)\s?(?=(?:\\left\s?)?[(\[])"
)

Pair = tuple[str, str]


def same_form(gold: str, answer: str) -> Pair | None:
    """Return both texts in the same form; None if they cannot be equal, or nothing is to be written otherwise."""
    right, other = qualifiers.read(gold), qualifiers.read(answer)
    if right and other and not right.fits(other):
        return None
    pair = (right.formula if right else gold, other.formula if other else answer)
    pair = _named_alike(*pair)
    letters = (right.letters if right else frozenset()) | (other.letters if other else frozenset())
    pair = pair[0], renamed(*pair, letters)
    for step in (_angles, _columns, _dependents, _unions):
        pair = step(*pair)
    return pair if pair != (gold, answer) else None


def _named_alike(gold: str, answer: str) -> Pair:
    """Drop the names of `(k, l) = (1, 2)` if only one of both has some, or both have the same."""
    named = [_NAMES.match(text) for text in (gold, answer)]
    names = [tuple("".join(name.split()) for name in match["names"].split(",")) if match else () for match in named]
    if not any(names) or not all(_NAME.fullmatch(name) for tuple_names in names for name in tuple_names):
        return gold, answer
    if all(names) and names[0] != names[1]:
        return gold, answer
    bare = [text[match.end() :] if match else text for match, text in zip(named, (gold, answer), strict=True)]
    return bare[0], bare[1]


def _angles(gold: str, answer: str) -> Pair:
    r"""Write the answer in the unit of the gold one if one is in degrees, `120^\circ`, and one in terms of \pi."""
    in_degrees, in_terms_of_pi = ([bool(sign.search(text)) for text in (gold, answer)] for sign in (_ANGLE, _PI))
    if in_degrees == [False, True] and in_terms_of_pi == [True, False]:
        return gold, _ANGLE.sub(r" \\cdot \\frac{\\pi}{180}", answer)
    if in_degrees == [True, False] and in_terms_of_pi == [False, True]:
        return _ANGLE.sub("", gold), _PI.sub("(180)", answer)
    return gold, answer


def _columns(gold: str, answer: str) -> Pair:
    """Write a vector in brackets as the other one is written, in a column or a row."""
    for text, other, is_gold in ((gold, answer, True), (answer, gold, False)):
        column, bracketed = _COLUMN.fullmatch(text.strip()), _BRACKETED.fullmatch(other.strip())
        if column and bracketed:
            cells = column["row"].split("&") if column["row"] else re.split(r"\\\\", column["cells"])
            vector = f"({', '.join(cell.strip() for cell in cells)})"
            return (vector, other) if is_gold else (other, vector)
    return gold, answer


def _dependents(gold: str, answer: str) -> Pair:
    """Write an answer without "=" as `y = ...`, or `rho = ...`, if the gold one is an equation for it: `xy = 6`."""
    names = set(_DEPENDENT.findall(gold))
    if (
        len(names) == 1
        and _EQUATION.fullmatch(gold)
        and not re.search(r"[=<>,]", answer)
        and not _DEPENDENT.search(answer)
    ):
        return gold, f"{names.pop()} = {answer}"
    return gold, answer


def _unions(gold: str, answer: str) -> Pair:
    """Write the intervals of a list as a union if the other one is one: beside it `(1,2), (3,4)` are no points."""
    for text, other, is_gold in ((gold, answer, True), (answer, gold, False)):
        may_be_intervals = not is_gold or r"\infty" in text or "[" in text or "]" in text
        if _CUP.search(other) and not _CUP.search(text) and may_be_intervals:
            union = _BETWEEN_INTERVALS.sub(r" \\cup ", text)
            return (union, other) if is_gold else (other, union)
    return gold, answer
