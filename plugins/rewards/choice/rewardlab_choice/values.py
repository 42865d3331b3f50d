r"""Read answers and choices that are one number: `$37.50`, `37.5 dollars`, `1/2`, `\frac{1}{2}`, `½`, `50%`, `5 km`."""

import re
from dataclasses import dataclass
from fractions import Fraction

from rewardlab_choice.folding import folded, unfonted

MAX_LENGTH = 80
"""characters of a text that may be one number; longer ones are none"""

_CURRENCIES = {
    "$": "$ usd us$ dollar dollars",
    "€": "€ eur euro euros",
    "£": "£ gbp",
    "¥": "¥ jpy yen 円",
    "元": "元 cny rmb yuan 人民币",
    "₹": "₹ inr rs rs. rupee rupees",
    "₩": "₩ krw won 원",
    "₽": "₽ rub рубль рубля рублей",
}
_CURRENCY = {word: sign for sign, words in _CURRENCIES.items() for word in words.split()}
_PERCENT = {"%": "%", "٪": "%", "percent": "%", "per cent": "%", "prozent": "%"}
_UNIT = _CURRENCY | _PERCENT
_FRONT = "|".join(re.escape(word) for word in sorted(_CURRENCY, key=len, reverse=True))
_NUMBER = r"\d[\d.,' \u2019]*+|[.,]\d++"
_FRACTION = re.compile(r"\\[dtc]?frac\s*+(?:\{\s*+(\d++)\s*+\}|(\d))\s*+(?:\{\s*+(\d++)\s*+\}|(\d))")
_VALUE = re.compile(
    rf"(?P<sign>[-+−]?)\s*(?P<front>{_FRONT})?\s*(?P<inner>[-−]?)\s*(?P<number>{_NUMBER})"
    rf"(?:/\s*(?P<bottom>\d++))?\s*(?P<unit>[^\d\s][^\d]{{0,19}})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its unit: the sign of a currency, "%", the word behind the number, or None."""

    number: Fraction
    unit: str | None

    def fits(self, choice: "Value") -> bool:
        """Return whether an answer of this value is a choice of that one: 37.5 is $37.50 and 0.5 is 50%.

        An answer may leave out the choice's unit; of units that it has, only a currency and % may be more than the
        choice says.
        """
        if self.unit == choice.unit:
            return self.number == choice.number
        if self.unit is not None and choice.unit is not None:
            return False
        if "%" in (self.unit, choice.unit):
            part, other = (self, choice) if self.unit == "%" else (choice, self)
            return other.number in (part.number, part.number / 100)
        known = self.unit is None or self.unit in _CURRENCIES
        return known and self.number == choice.number


def values(text: str) -> frozenset[Value]:
    """Return the readings of a text that is one number, of which 1,200 has two; empty if it is another text."""
    if len(text) > MAX_LENGTH:
        return frozenset()
    text = unfonted(folded(text)).strip(" \t\n*`").rstrip(".。 ")
    if len(text) > 2 and text[0] == text[-1] == "$":
        text = text[1:-1]
    text = _FRACTION.sub(lambda match: f" {match[1] or match[2]}/{match[3] or match[4]}", text.replace("\\$", "$"))
    text = text.replace("\\%", "%").replace("−", "-").strip()
    match = _VALUE.fullmatch(text)
    if match is None or (match["sign"] == "-" and match["inner"]):
        return frozenset()
    front, behind = _unit(match["front"]), _unit(match["unit"])
    if front is not None and behind is not None and front != behind:
        return frozenset()
    negative = "-" in (match["sign"], match["inner"])
    numbers = _numbers(match["number"], match["bottom"])
    return frozenset(Value(-number if negative else number, front or behind) for number in numbers)


def _unit(written: str | None) -> str | None:
    word = (written or "").strip(" {}.").casefold()
    return _UNIT.get(word, word) or None


def _numbers(written: str, bottom: str | None) -> list[Fraction]:
    if bottom is None:
        return _readings(written.strip())
    whole, _, top = written.strip().rpartition(" ")
    if not top.isdigit() or int(bottom) == 0 or (whole and not whole.isdigit()):
        return []
    return [int(whole or 0) + Fraction(int(top), int(bottom))]


def _readings(written: str) -> list[Fraction]:
    """Return what a run of digits and separators may be: 1,200 is 1200 or 1.2."""
    parts = re.split(r"[.,]", re.sub(r"(?<=\d)[ '’](?=\d{3}(?!\d))", "", written.rstrip(".,")))
    marks = [mark for mark in written.rstrip(".,") if mark in ".,"]
    if not all(part.isdigit() for part in parts[1:]) or not (parts[0].isdigit() or parts[0] == ""):
        return []
    grouped = bool(parts[0]) and parts[0][0] != "0" and len(parts[0]) <= 3
    readings = []
    if len(set(marks)) < 2 and (not marks or (grouped and all(len(part) == 3 for part in parts[1:]))):
        readings.append(Fraction("".join(parts)))
    mixed = len(set(marks)) == 2 and marks[-1] not in marks[:-1]
    if len(marks) == 1 or (mixed and grouped and all(len(part) == 3 for part in parts[1:-1])):
        readings.append(Fraction(f"{''.join(parts[:-1]) or 0}.{parts[-1]}"))
    return readings
