r"""Write alternatives of inequalities as unions: `x < 2 \text{ or } x \ge 3` is `(-\infty, 2)\cup[3, \infty)`."""

import re

_OR = r"\s+(?:or|oder|ou|o|atau|или)\s+|\s*(?:或|または|또는|หรือ|\\lor|\\vee)\s*"
_OR_GROUP = r"\s*\\(?:text\w*|mathrm|mbox)\s*\{\s*(?:or|oder|ou|o|atau|или|或|または|또는|หรือ)\s*\}\s*"
_ALTERNATIVE = re.compile(f"{_OR_GROUP}|{_OR}")
_INEQUALITY = re.compile(
    r"\s*(?P<name>\\?[A-Za-z]+)\s*(?P<sign><|>|\\[lg]eq?(?![A-Za-z]))\s*(?P<bound>[^<>=,;&]*[^<>=,;&\s])\s*"
)


def as_union(text: str) -> str:
    """Return alternatives of inequalities of one name as a union; anything else as it is."""
    if not any(sign in text for sign in ("<", ">", r"\le", r"\ge")):
        return text
    parts = [_INEQUALITY.fullmatch(part) for part in _ALTERNATIVE.split(text)]
    if len(parts) < 2 or not all(parts) or len({part["name"] for part in parts if part}) > 1:
        return text
    return r"\cup".join(_interval(part["sign"], part["bound"]) for part in parts if part)


def _interval(sign: str, bound: str) -> str:
    below = sign == "<" or sign.startswith(r"\l")
    closed = sign.startswith("\\")
    if below:
        return rf"(-\infty, {bound}{']' if closed else ')'}"
    return rf"{'[' if closed else '('}{bound}, \infty)"
