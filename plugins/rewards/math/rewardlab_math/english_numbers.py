"""Read English number words: `twenty-four`, `one hundred and twenty`, `minus five`, `two thirds`, `seven apples`."""

from collections.abc import Sequence
from fractions import Fraction

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_UNITS = {word: value for value, word in enumerate(_ONES.split())}
_TENS = {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_POWERS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "quarter": 4} | {
    word: value
    for value, word in enumerate(["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 3)
}
_PARTS |= {f"{word}s": value for word, value in _PARTS.items()} | {"halves": 2}
_WORDS = {*_UNITS, *_TENS, *_POWERS, *_PARTS, "hundred", "dozen", "and", "a", "an", "point"}
_TELLS_MORE = {"or", "to", "less", "more", "than", "fewer", "over", "under", "minus", "plus", "times"}
_TELLS_MORE |= {"of", "from", "by", "at", "about", "nor", "not"}
MAX_COUNTED = 2
"""words of what is counted, behind a number"""


def number(text: str) -> str | None:
    """Return the digits of a text that is a number in English words, with what it counts behind them; else None."""
    written = text.replace("-", " ").split()
    sign = "-" if text.lower().startswith(("minus ", "negative ")) else ""
    written = written[len(sign) :]
    words = [word.lower() for word in written]
    end = next((place for place, word in enumerate(words) if word not in _WORDS), len(words))
    counted = written[end:]
    if len(counted) > MAX_COUNTED or not all(word.islower() and word not in _WORDS | _TELLS_MORE for word in counted):
        return None  # Seven Samurai are a name
    value = _value(words[:end])
    return None if value is None else " ".join([f"{sign}{value}", *counted])


def _value(words: Sequence[str]) -> Fraction | int | None:
    if "point" in words:
        at = words.index("point")
        whole, digits = _whole(words[:at]), "".join(str(_UNITS.get(word, "?")) for word in words[at + 1 :])
        is_decimal = whole is not None and digits.isdigit() and len(digits) == len(words) - at - 1
        return Fraction(f"{whole}.{digits}") if is_decimal else None
    if words and words[-1] in _PARTS:
        return _mixed(words)
    return _whole(words)


def _mixed(words: Sequence[str]) -> Fraction | None:
    """Return the value of "half", "two thirds" and "three and a half"; "twenty fifth" is an ordinal."""
    *before, last = words
    count = 1 if before[-1:] in ([], ["a"], ["an"]) else _UNITS.get(before[-1])
    if count is None or (not before and last not in ("half", "quarter")):
        return None
    part = Fraction(count, _PARTS[last])
    if len(before) < 2:
        return part
    whole = _whole(before[:-2]) if before[-2] == "and" else None
    return None if whole is None else whole + part


def _whole(words: Sequence[str]) -> int | None:
    """Return the value of a whole number; None if the words are none."""
    total, above = 0, 10**15
    group: list[str] = []
    for word in [*words, ""]:
        if word and word not in _POWERS:
            group.append(word)
            continue
        power = _POWERS.get(word, 1)
        if not word and not group and total:
            return total
        value = 1 if group == ["a"] and word else _below_thousand(group, total > 0 and not word)
        if value is None or power >= above:
            return None
        total, above, group = total + value * power, power, []
    return total


def _below_thousand(words: list[str], is_last: bool) -> int | None:
    if words in (["a", "dozen"], ["dozen"]):
        return 12
    hundreds = 0
    if words[1:2] == ["hundred"]:
        hundreds = 1 if words[0] == "a" else _UNITS.get(words[0], 0)
        if not hundreds or len(words) == 2:
            return 100 * hundreds or None
        words = words[2:]
    if words[:1] == ["and"] and (hundreds or is_last):
        words = words[1:]
    if len(words) == 1:
        below = (_UNITS | _TENS).get(words[0])
    else:
        is_pair = len(words) == 2 and words[0] in _TENS and 0 < _UNITS.get(words[1], 0) < 10
        below = _TENS[words[0]] + _UNITS[words[1]] if is_pair else None
    return None if below is None else 100 * hundreds + below
