r"""Write solutions of systems as tuples: `x=3, y=4 or x=1, y=2` is `(3, 4), (1, 2)`, whatever their order."""

import re

from rewardlab_math.wording import with_commas

_EQUATION = re.compile(
    r"\s*(?P<name>\\?[A-Za-z]+(?:_\{?\w{1,8}\}?)?(?:\(\s*\w\s*\))?)\s*=\s*(?P<value>[^=<>]*[^=<>\s])\s*"
)
_GREEK_OR_LETTER = re.compile(r"\\[A-Za-z]+|[A-Za-z](?:_.*|\(\s*\w\s*\))?")
_TUPLES = re.compile(r"\((?P<names>[^=]*)\)\s*=\s*\((?P<values>[^=]*)\)")
_SYSTEM = re.compile(
    r"(?:\\left\s*)?(?:\\\{\s*)?\\begin\s*\{(?P<name>cases|array|aligned)\}(?:\s*\{[lcr| ]*\})?"
    r"(?P<rows>(?:(?!\\begin)[^$])*)\\end\s*\{(?P=name)\}(?:\s*\\right\s*\.?)?"
)
MAX_EQUATIONS = 24

Solved = tuple[str, tuple[str, ...]]


def solved(text: str) -> Solved | None:
    r"""Return (the values of each solution as a tuple, the unknowns in alphabetical order); None for anything else.

    A solution gives each of at least two unknowns a value, also in rows behind one brace. Where unknowns come again the
    next solution begins. Of `(y, x) = (1, 2)` names and values remain in their order.
    """
    if tuples := _TUPLES.fullmatch(text):
        return _named_tuple(tuples)
    if text.count("=") < 2:
        return None
    if system := _SYSTEM.fullmatch(text):
        text = system["rows"].replace("&", " ")
    parts = split(with_commas(text).replace(r"\\ ", ",").replace(";", ","))
    equations = [_EQUATION.fullmatch(part) for part in parts if part.strip()]
    if not 2 <= len(equations) <= MAX_EQUATIONS or not all(equations):
        return None
    pairs = [(equation["name"], equation["value"]) for equation in equations if equation]
    unknowns = tuple(sorted({name for name, _ in pairs}))
    if len(unknowns) < 2 or len(pairs) % len(unknowns) or not all(map(_GREEK_OR_LETTER.fullmatch, unknowns)):
        return None
    groups = [dict(pairs[at : at + len(unknowns)]) for at in range(0, len(pairs), len(unknowns))]
    if any(len(group) < len(unknowns) for group in groups):
        return None
    return ", ".join(f"({', '.join(group[name] for name in unknowns)})" for group in groups), unknowns


def _named_tuple(tuples: re.Match[str]) -> Solved | None:
    """Return the values and the names of `(x, y) = (1, 2)`, both in the order in which they are written."""
    names, values = ([part.strip() for part in split(tuples[name])] for name in ("names", "values"))
    is_solution = len(names) == len(values) > 1 and all(map(_GREEK_OR_LETTER.fullmatch, names))
    return (f"({', '.join(values)})", tuple(names)) if is_solution else None


def split(text: str) -> list[str]:
    """Return the parts of a text between the commas that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "({[") - (sign in ")}]")
        if sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]
