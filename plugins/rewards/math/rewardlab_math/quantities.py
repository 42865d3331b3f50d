r"""Read answers that are one number: `1.234,5`, `$12`, `-\frac{3}{4}`, `2 1/2`, `50\%`, `3 km/h`, `x = 5`, `1.2e-3`.

They are compared here, exactly and in microseconds; algebra is for the rest.
"""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from rewardlab_math import named_units, units
from rewardlab_math.numerals import NUMERAL, readings

_NAME = r"(?:(?P<name>\\?[A-Za-z]\w*(?:_\{?\w+\}?)?(?:\([^()=<>\d]{1,30}\))?)\s*)?"
_PREFIX = re.compile(
    rf"{_NAME}(?(name)=|(?:=|\\approx|~)?)\s*(?P<sign>[-+])?\s*(?:{units.CURRENCY})?\s*(?P<inner_sign>[-+])?\s*"
)
_FRACTION = re.compile(
    rf"(?:(?P<whole>\d+)\s*)?\\[dtc]?frac\s*(?:\{{\s*(?P<top>-?{NUMERAL})\s*\}}|(?P<top_digit>\d))"
    rf"\s*(?:\{{\s*(?P<bottom>{NUMERAL})\s*\}}|(?P<bottom_digit>\d))"
)
_SLASHED = re.compile(rf"(?:(?P<whole>\d+)\s+)?(?P<top>{NUMERAL})\s*/\s*(?P<bottom>{NUMERAL})")
_SCIENTIFIC = re.compile(
    rf"(?P<digits>{NUMERAL})(?:[eE]|\s*(?:\\times|\\cdot|\*|x)\s*10\s*\^\s*\{{?\s*)(?P<power>[-+]?\d{{1,3}})\}}?"
)
_PLAIN = re.compile(NUMERAL)
_PERCENT_WORDS = (
    "per[ -]?cent(?:age)?|pct|prozent|pour[ -]?cents?|por ciento|por cento|per cento|procent|persen|phần trăm"
    "|процент(?:а|ов)?|yüzde|asilimia|प्रतिशत|শতাংশ|శాతం|パーセント|퍼센트|เปอร์เซ็นต์|بالمئة|في المئة"
)
_PERCENT = re.compile(rf"\s*(?:\\text\w*\s*\{{\s*)?(?:%|(?:{_PERCENT_WORDS})(?![A-Za-z]))(?:\s*\}})?", re.IGNORECASE)
_PERCENT_BEFORE = re.compile(r"(?:百分之|yüzde |asilimia )(?=\s*\d)", re.IGNORECASE)
_FLIPPED = re.compile(
    r"(?P<value>[^=<>A-Za-z]*(?:\\[dtc]?frac[^=<>A-Za-z]*)?)=\s*(?P<name>\\?[A-Za-z](?:_\{?\w{1,8}\}?)?)\s*"
)
_LONE_NUMBER = re.compile(rf"(?<![A-Za-z\d_.,])(?P<sign>-)?(?P<digits>{NUMERAL})(?![A-Za-z\d_!])")
_OPERATOR = re.compile(r"[=<>+*/^\\_{}|&]|[-−]\s*\(")
_VARIABLE = re.compile(r"(?<![A-Za-z'])(?![aAI]\b)[A-Za-z](?![A-Za-z'])")
_WORD = re.compile(r"[A-Za-z]{3}|[^\W\d_a-zA-Z]")

_DECIMALS = Fraction(5, 10**7)
_RELATIVE = Fraction(1, 10**4)


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """A reading of a number.

    exact: false if it was written with decimals, which may be rounded. scale: the power of ten of a word behind it that
    is not in the value, as in "3 million" for a question that counts in millions.
    """

    value: Fraction
    exact: bool = True
    percent: bool = False
    name: str | None = None
    scale: int | None = None

    def times(self, rate: Fraction) -> "Quantity":
        """Return the same amount in another unit."""
        return self if rate == 1 else replace(self, value=self.value * rate)

    def equals(self, other: "Quantity") -> bool:
        """Return whether both are equal: exactly, or to six places if either has decimals.

        50% equals 50 and 0.5; x = 5 does not equal y = 5, nor 3 million 3 billion.
        """
        if self.name and other.name and self.name.lower() != other.name.lower():
            return False
        if self.scale and other.scale and self.scale != other.scale:
            return False
        if self.percent == other.percent:
            return self._is_close(self.value, other)
        if self.percent:
            return self._is_close(self.value, other) or self._is_close(self.value / 100, other)
        return other.equals(self)

    def _is_close(self, value: Fraction, other: "Quantity") -> bool:
        difference = abs(value - other.value)
        if difference == 0 or (self.exact and other.exact):
            return difference == 0
        return difference <= _DECIMALS and difference <= _RELATIVE * max(abs(value), abs(other.value))


def quantities(text: str, *, point_only: bool = False) -> frozenset[Quantity]:
    """Return the readings of a plain text that is one number, with its currency, unit and name; else none."""
    if (before := _PERCENT_BEFORE.match(text)) is not None:
        text = f"{text[before.end() :]}%"
    if "=" in text and (flipped := _FLIPPED.fullmatch(text)):  # 2 = x
        text = f"{flipped['name']} = {flipped['value']}"
    prefix = _PREFIX.match(text)
    if prefix is None:
        return frozenset()
    values, exact, rest = _number(text[prefix.end() :], point_only)
    percent = _PERCENT.match(rest)
    rest = rest[percent.end() :] if percent else rest
    if not values or not (units.is_unit(rest) or named_units.is_compound(rest)):
        return frozenset()
    negative = (prefix["sign"], prefix["inner_sign"]).count("-") == 1
    name = _variable(prefix["name"])
    readings = {
        Quantity(value=-value if negative else value, exact=exact, percent=bool(percent), name=name) for value in values
    }
    factor = units.scale(rest)
    if factor:
        multiplied = {replace(quantity, value=quantity.value * factor) for quantity in readings}
        readings = {replace(quantity, scale=factor) for quantity in readings} | multiplied
    return frozenset(readings)


def only_quantity(text: str, *, point_only: bool = False) -> frozenset[Quantity]:
    """Return the readings of the only number in a sentence without formulas ("The answer is 12."); else none."""
    number = _LONE_NUMBER.search(text)
    if number is None or _OPERATOR.search(text):
        return frozenset()
    words = text[: number.start()] + " " + text[number.end() :]
    if not _WORD.search(words) or _VARIABLE.search(words) or any(character.isdigit() for character in words):
        return frozenset()
    return quantities(number.group(), point_only=point_only)


def _variable(name: str | None) -> str | None:
    """Return the name before "=", unless it is a word ("total = 5")."""
    name = name and "".join(name.split())
    return name if name and not (name.isalpha() and len(name) > 2) else None


def _number(text: str, point_only: bool) -> tuple[frozenset[Fraction], bool, str]:
    """Return the values of the number that a text starts with, whether they are exact, and what follows it."""
    for form, read in _FORMS:
        match = form.match(text)
        values = read(match, point_only) if match else frozenset()
        if match and values:
            exact = read is _quotients or all(value.denominator == 1 for value in values)
            return values, exact, text[match.end() :]
    return frozenset(), True, text


def _quotients(match: re.Match, point_only: bool) -> frozenset[Fraction]:
    parts = match.groupdict()
    top, bottom = parts["top"] or parts.get("top_digit", ""), parts["bottom"] or parts.get("bottom_digit", "")
    whole = Fraction(parts["whole"] or 0)
    sign = -1 if top.startswith("-") else 1
    tops, bottoms = readings(top.lstrip("-"), point_only=point_only), readings(bottom, point_only=point_only)
    return frozenset(whole + sign * t / b for t in tops for b in bottoms if b)


def _powers(match: re.Match, point_only: bool) -> frozenset[Fraction]:
    factor = Fraction(10) ** int(match["power"])
    return frozenset(value * factor for value in readings(match["digits"], point_only=point_only))


def _plain(match: re.Match, point_only: bool) -> frozenset[Fraction]:
    return readings(match.group(), point_only=point_only)


_FORMS = ((_FRACTION, _quotients), (_SLASHED, _quotients), (_SCIENTIFIC, _powers), (_PLAIN, _plain))
