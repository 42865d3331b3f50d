r"""Find the last formula of a text that has a number in it: `7`, `$2\sqrt{3}$`, 10^3, 3/4, `12\text{ cm}^2`.

A number is part of the formula around it: 3 is not what `2\sqrt{3}` says. Of an equation or an approximation the last
side is taken. A unit, a word for a power of ten, the half of a day and a sign of money beside it belong to it.
"""

import re
from collections import deque
from collections.abc import Iterator

from rewardlab_answers import only_joins

from rewardlab_math import clock_times, named_units

MAX_LENGTH = 200
"""characters on each side of a number in which its formula is looked for"""

_GROUPED = r"(?<!\d)\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)(?:[.,]\d+)?"
_PLAIN = rf"(?:{_GROUPED}|\d+(?:[.,٫٬'’_]\d+)*|[.,٫]\d+)"
_FORMS = (  # one number each: 12:30, 2 : 3, 3 1/2, 3½, 1.2 x 10^3, 1 234
    rf"{_PLAIN}(?:(?:[:：∶]\d+)+| : \d+)"
    rf"|(?<![\d.,/])\d{{1,9}} \d{{1,9}}/\d{{1,9}}(?![\d/])|(?:{_PLAIN} ?)?[¼-¾⅐-⅞]"
    rf"|{_PLAIN} ?[xX×] ?10(?=\s?[\^⁰¹²³⁴-⁹⁻])|{_PLAIN}"
)
_NUMBER = re.compile(rf"(?<![A-Za-z])(?:{_FORMS})")
_DELIMITED = re.compile(
    r"\\\\|\\\$|\$\$(?P<display>[^$]+)\$\$|\$(?P<inline>[^$]+)\$"
    r"|\\\((?P<round>(?:(?!\\[()]).)+)\\\)|\\\[(?P<square>(?:(?!\\[\[\]]).)+)\\\]",
    re.DOTALL,
)
_RELATION = re.compile(r"=|≈|\\approx(?![A-Za-z])|\\simeq(?![A-Za-z])|\\cong(?![A-Za-z])")
_NAMED = re.compile(r"\\[A-Za-z]+(?:\s*\{[^{}]*\})?")
_WORD = re.compile(r"[A-Za-z]{3,}")
_TOKEN = re.compile(
    rf"(?P<number>{_FORMS})"
    r"|(?P<unit>(?<=[\d)}])[ ]?[A-Za-z]{1,6}(?:/[A-Za-z]{1,4})?\^\{?[-−]?[1-3]\}?(?!\d))"
    r"|(?P<operator>\*\*|[-−+*/·×÷⁄]|\\(?:times|cdot|div|pm)(?![A-Za-z]))"
    r"|(?P<atom>\\[A-Za-z]+|(?:sqrt|sin|cos|tan|ln|log|exp|pi)(?![A-Za-z])|[√π∞]|(?<![A-Za-z])[A-Za-z](?![A-Za-z]))"
    r"|(?P<raises>[\^_])|(?P<open>[({\[])|(?P<close>[)}\]])|(?P<post>[%٪％°⁰¹²³⁴-⁹⁻])"
    r"|(?P<space>\\[ ,;:!]|[ \u00a0~])|(?P<comma>,)|(?P<other>[A-Za-z]+|\\?.|\n)",
    re.DOTALL,
)
_MONEY = re.compile(r"(?:(?<![\w)\]}])[-−]\s?)?\\?(?:[€£¥￥₹₽₩฿₫₦]|(?:US)?\$)\s?\Z")
_CLOSING = re.compile(r"\$\$?|\\[)\]]")
_RAISED = re.compile(r"\^(?!\s?\{?\s?\\circ)|\\(?!circ)|[√⁰-⁹²³¹]")
_AMOUNT_BEFORE = re.compile(r"\d+(?:\.\d+)? ?[^\W\d_]+(?:,| and)? \Z")
_VARIABLE = re.compile(r"(?<![\\A-Za-z])(?![xX] ?10)[A-Za-z]")
_PAIRS = {"(": ")", "{": "}", "[": "]"}
_Place = tuple[int, int]


def last_formulas(text: str) -> list[str]:
    """Return the last formula with a number, and those before it that "and" or "or" joins to it; [] if there is none.

    Takes time linear in the text.
    """
    last = deque(_NUMBER.finditer(text), maxlen=1)
    if not last:
        return []
    number = last[0].start()
    if places := _delimited(text, number):
        parts = [_with_unit(text, _last_side(text[start:end]), _closed(text, end), " ") for start, end in places]
    else:
        places = _bare(text, number, last[0].end())
        parts = [_sign(text, start) + _with_unit(text, _last_side(text[start:end]), end) for start, end in places]
        before = _AMOUNT_BEFORE.search(text[max(0, number - 30) : number])
        if len(parts) == 1 and before and named_units.summed(amount := before[0] + parts[0]) != amount:  # 5 ft 3 in
            return [amount]
    return list(dict.fromkeys(parts))


def _sign(text: str, start: int) -> str:
    """Return the sign of money before a number, and a minus before that."""
    money = _MONEY.search(text[max(0, start - 6) : start])
    return money[0] if money else ""


def _closed(text: str, end: int) -> int:
    """Return the place behind the delimiter that follows a formula."""
    delimiter = _CLOSING.match(text, end)
    return end if delimiter is None else delimiter.end()


def _with_unit(text: str, formula: str, end: int, between: str = "") -> str:
    """Return a formula with the scale, the unit or the half of the day behind it; none is behind one with variables."""
    half = clock_times.HALF.match(text, end)
    unit = text[end : half.end() if half else named_units.end_behind(text, end)]
    bare = unit.strip()
    is_variable = _VARIABLE.search(formula) or (len(bare) == 1 and bare.isalpha() and _RAISED.search(formula))
    return formula if not bare or is_variable else f"{formula}{between + bare if between else unit}"


def _delimited(text: str, number: int) -> list[_Place]:
    """Return the places of the formula between delimiters that holds the number, and of those joined to it."""
    chain: list[re.Match[str]] = []
    for match in _DELIMITED.finditer(text):
        if match.lastgroup is None:
            continue
        between = text[chain[-1].end() : match.start()] if chain else ""
        joined = between.strip() and only_joins(between)
        chain = [*chain, match] if joined and len(chain) < MAX_LENGTH else [match]
        if match.start() <= number < match.end():
            return [] if _is_prose(match[match.lastgroup]) else [part.span(part.lastgroup or 0) for part in chain]
    return []


def _bare(text: str, start: int, end: int) -> list[_Place]:
    """Return the places of the formula around the number text[start:end], and of those joined to it."""
    left = max(0, start - MAX_LENGTH)
    chain: list[_Place] = []
    for place in _runs(text, left, end + MAX_LENGTH):
        if place[1] <= left:
            continue
        joined = chain and _joins_by_word(text[chain[-1][1] : place[0]])
        chain = [*chain, place] if joined else [place]
        if place[0] <= start < place[1]:
            return chain
    return [(start, start + len(text[start:end].rstrip(".,'")))]


def _joins_by_word(between: str) -> bool:
    return only_joins(between) and any(character.isalpha() for character in between)


def _runs(text: str, start: int, end: int) -> Iterator[_Place]:
    """Yield the places of the longest pieces that read as formulas, in order."""
    run = _Run()
    tokens = [(token.lastgroup or "other", token) for token in _TOKEN.finditer(text, start, min(end, len(text)))]
    for place, (kind, token) in enumerate(tokens):
        following = tokens[place + 1][0] if place + 1 < len(tokens) else "other"
        if run.takes(kind, token.group(), following):
            run.add(kind, token)
            continue
        yield from run.places(text)
        run = _Run()
        if run.takes(kind, token.group(), following):
            run.add(kind, token)
    yield from run.places(text)


class _Run:
    """A formula under way: its first character, the end of its last operand, and its open brackets."""

    def __init__(self) -> None:
        self._start = self._end = -1
        self._open: list[tuple[str, int]] = []
        self._last = ""

    def takes(self, kind: str, text: str, following: str) -> bool:
        """Return whether the next token goes on with the formula, or begins one."""
        if self._start < 0:
            signed = kind == "operator" and text in "-−+" and following in ("number", "atom", "open")
            return kind in ("number", "atom", "open") or signed
        if kind == "close":
            return (bool(self._open) and _PAIRS[self._open[-1][0]] == text) or self._is_half_open(text)
        if kind == "space":
            return (
                bool(self._open)
                or self._last == "operator"
                or following in ("operator", "space", "post")
                or text[0] == "\\"
            )
        if kind == "operator" and self._last == "space":
            return following in ("space", "number", "atom", "open")
        if kind == "unit":
            return self._last in ("number", "close")
        if kind == "comma":
            return bool(self._open)
        if self._last == "space" and not self._open and kind in ("number", "atom", "open"):
            return text[0] == "\\"
        return kind != "other"

    def add(self, kind: str, token: re.Match[str]) -> None:
        """Take the token."""
        if self._start < 0:
            self._start = token.start()
        if kind == "open":
            self._open.append((token.group(), token.start()))
        elif kind == "close":
            self._open.pop()
        if kind not in ("operator", "raises", "space", "comma", "open"):
            self._end = token.end()
        if not (kind == "space" and self._last == "operator"):
            self._last = kind

    def places(self, text: str) -> Iterator[_Place]:
        """Yield the place of the formula, without brackets that are not closed or hold nothing but it."""
        start = self._open[-1][1] + 1 if self._open else self._start
        if 0 <= start < self._end:
            piece = text[start : self._end]
            if piece[0] in "([" and piece[-1] in ")]" and not set("()[],") & set(piece[1:-1]):
                yield start + 1, self._end - 1
            else:
                yield start, self._end

    def _is_half_open(self, text: str) -> bool:
        return bool(self._open) and {self._open[-1][0], text} in ({"(", "]"}, {"[", ")"})


def _is_prose(content: str) -> bool:
    """Return whether a text between two dollar signs is not a formula: in "$5 and $7" they stand for dollars."""
    words = _WORD.findall(_NAMED.sub(" ", content))
    return any(word not in ("sqrt", "sin", "cos", "tan", "log", "exp") for word in words)


def _last_side(formula: str) -> str:
    """Return what follows the last "=" of a chain; a list of equations as it is."""
    sides = _RELATION.split(formula)
    return formula.strip() if len(sides) > 2 and "," in formula else sides[-1].strip()
