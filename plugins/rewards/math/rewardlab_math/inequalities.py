r"""Write inequalities as sets: `x < 2 \text{ or } x \ge 3` is `(-\infty, 2)\cup[3, \infty)`, `x \ne 0` all but 0."""

import re

REALS = r"(-\infty, \infty)"

_OR = r"\s+(?:or|oder|ou|o|atau|или)\s+|\s*(?:或|または|또는|หรือ|\\lor|\\vee)\s*"
_OR_GROUP = r"\s*\\(?:text\w*|mathrm|mbox)\s*\{\s*(?:or|oder|ou|o|atau|или|或|または|또는|หรือ)\s*\}\s*"
_ALTERNATIVE = re.compile(f"{_OR_GROUP}|{_OR}")
_AND = (
    r"\\land|\\wedge|\s(?:and|und|et|y|e|dan|и)\s|且|かつ"
    r"|\\(?:text\w*|mathrm|mbox)\s*\{\s*,?\s*(?:and|und|et|且|かつ)\s*\}"
)
_TOGETHER, _WITH_AND = re.compile(rf"\s*(?:[,;]|{_AND})\s*"), re.compile(_AND)
_SIGN = re.compile(r"(<|>|=|\\(?:leqslant|geqslant|leq|geq|le|ge|lt|gt|neq|ne)(?![A-Za-z]))")
_NAME = re.compile(r"\\?[A-Za-z]+(?:_\w)?")
_TURNED = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}
_IN_REALS = re.compile(r"(?:[,;]\s*)?\\?[A-Za-z]+\s*\\in\s*\(-\\infty, \\infty\)\s*(?:[,;:]\s*)?")
_PARTED = re.compile(f"{_ALTERNATIVE.pattern}|{_TOGETHER.pattern}")
_CONSTANTS = frozenset((r"\infty", r"\pi", "e", "i"))
MAX_PARTS = 12


def as_union(text: str) -> str:
    """Return inequalities of one name that a word joins, and what excludes numbers, as sets; anything else as it is."""
    name = compared_name(text) if r"\ne" in text or _ALTERNATIVE.search(text) or _WITH_AND.search(text) else None
    return (condition(text, name) if name else None) or text


def condition(text: str, name: str) -> str | None:
    r"""Return the set of real numbers for which conditions hold; None if one is no comparison of the name.

    `x > 1, x \ne 2` and chains such as `1 < x \le 3` must hold together; "or" parts alternatives.
    """
    unions = []
    for alternative in _ALTERNATIVE.split(_IN_REALS.sub("", text)):
        sets = [_set(part, name) or "" for part in _TOGETHER.split(alternative) if part.strip()]
        if not sets or len(sets) > MAX_PARTS or not all(sets):
            return None
        unions.append(
            sets[0] if len(sets) == 1 else r" \cap ".join(f"({part})" if "cup" in part else part for part in sets)
        )
    return r"\cup".join(unions) if len(unions) <= MAX_PARTS else None


def compared_name(text: str) -> str | None:
    """Return the only name that inequalities in a text compare; None if there are more, or none."""
    if not any(sign in text for sign in ("<", ">", r"\le", r"\ge", r"\ne", r"\gt", r"\lt")):
        return None
    parts = [side.strip() for part in _PARTED.split(_IN_REALS.sub("", text)) for side in _SIGN.split(part)[::2]]
    names = {side for side in parts if _NAME.fullmatch(side) and side not in _CONSTANTS}
    return names.pop() if len(names) == 1 else None


def _set(part: str, name: str) -> str | None:
    sides = [side.strip() for side in _SIGN.split(part)]
    if name not in sides[::2] or len(sides) not in (3, 5) or not all(sides):
        return None
    if len(sides) == 3:
        left, sign, right = sides
        return _half(_plain(sign), right) if left == name else _half(_TURNED.get(_plain(sign), _plain(sign)), left)
    low, sign, middle, second, high = sides
    sign, second = _plain(sign), _plain(second)
    if middle != name or sign[-1] not in "<>e" or {sign, second} & {"=", r"\ne"}:
        return None
    if sign in (">", r"\ge"):
        low, sign, second, high = high, _TURNED[second], _TURNED[sign], low
    if sign not in ("<", r"\le") or second not in ("<", r"\le"):
        return None
    return f"{'(' if sign == '<' else '['}{low}, {high}{')' if second == '<' else ']'}"


def _plain(sign: str) -> str:
    return {r"\lt": "<", r"\gt": ">"}.get(sign) or (sign[:3] if sign[0] == "\\" else sign)


def _half(sign: str, bound: str) -> str | None:
    if sign == "=":
        return rf"\{{{bound}\}}"
    if sign == r"\ne":
        return rf"(-\infty, {bound})\cup({bound}, \infty)"
    if sign in ("<", r"\le"):
        return rf"(-\infty, {bound}{')' if sign == '<' else ']'}"
    return rf"{'(' if sign == '>' else '['}{bound}, \infty)"
