"""Write intervals of schoolbooks as mathematicians do: `[0;1[` is [0,1) and `]0,5;2]` is (0.5,2]."""

import re

_SIZED = re.compile(r"\\(?:left|right)\s*")
_NAMED = {r"\lbrack": "[", r"\rbrack": "]"}
_BOUND = r"[^\[\]();]+?"
_INTERVAL = re.compile(
    rf"(?P<left>[\[\](])\s*(?P<low>{_BOUND})\s*(?P<mark>[;,])\s*(?P<high>{_BOUND})\s*(?P<right>[\[\])])"
)
_DECIMAL_COMMA, _GROUPS = re.compile(r"(?<=\d),(?=\d)"), re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SPACES = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
_NAME = re.compile(r"(?:\\?[A-Za-z]\w*|\\math\w+\s*\{[A-Za-z]\})\s*(?:\\in(?![a-z])|=)\s*")
_BETWEEN = re.compile(r"\s*(?:\\cup|\\cap|U)\s*")


def standard(text: str, *, point_only: bool) -> str:
    r"""Return a plain answer in which intervals, also in unions and sections, have round brackets if they are open.

    A bracket that turns its back to the interval is open: `]0;1[` is (0,1). Beside a semicolon a comma marks decimals,
    or groups digits in a language that marks decimals only with a point. A name may stand in front, as of
    `x \in ]0;1[` and `S = ]0;1[`. Anything else is returned as it is.
    """
    if not any(sign in text for sign in ";[]"):
        return text
    bare = _SIZED.sub("", text)
    for name, bracket in _NAMED.items():
        bare = bare.replace(name, bracket)
    named = _NAME.match(bare)
    start = named.end() if named else 0
    parts = _BETWEEN.split(bare[start:])
    read = [_INTERVAL.fullmatch(part.strip()) for part in parts]
    if not all(read):
        return text
    between = _BETWEEN.findall(bare[start:])
    first, *others = [_write(interval, point_only) for interval in read if interval]
    first = bare[:start] + first
    return first + "".join(mark.replace("U", r"\cup") + part for mark, part in zip(between, others, strict=True))


def _write(match: re.Match, point_only: bool) -> str:
    low, high = (_bound(match[name], match["mark"], point_only) for name in ("low", "high"))
    left = "[" if match["left"] == "[" else "("
    right = "]" if match["right"] == "]" else ")"
    return f"{left}{low}, {high}{right}"  # a space: no reader takes this comma for a decimal one


def _bound(text: str, mark: str, point_only: bool) -> str:
    if mark == ",":
        return text
    text = _SPACES.sub("", text)
    return _GROUPS.sub("", text) if point_only else _DECIMAL_COMMA.sub(".", text)
