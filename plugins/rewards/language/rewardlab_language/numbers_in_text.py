"""Numbers in texts of any script, read as their digits, and those that a translation has lost."""

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from rewardlab_language.faithful_words import number_words

_SPACING = re.compile(r"\\[,!;: ]|\{(?=[.,]\})|(?<=[.,])\}")
"""what TeX puts between the groups of a number: 1\\,000, 1{,}000"""
_SUPERSCRIPTS = re.compile("([⁰¹²³⁴-⁹]+)")
_NUMBER = re.compile(r"(?:(?<!\d)[.,](?=\d))?\d+(?:(?:[.,'’٫٬،_]| (?=\d{3}(?!\d)))\d+)*")
_DIGITS = re.compile(r"\d+")
_AFTERNOON = re.compile(r"(?<!\d)(\d{1,2})(?::\d\d)? ?p\.? ?m\b", re.IGNORECASE)
_SCALE = re.compile(
    r"[ -]?(?:hundred|thousand|million|billion|trillion|lakh|crore|[万萬億亿千百兆]|[만억천백]|ألف|آلاف|ملي[وا]ن"
    r"|مليار|هزار|میلی|হাজার|লক্ষ|লাখ|কোটি"
    r"|हज़ार|हजार|लाख|करोड़|હજાર|લાખ|કરોડ|ਹਜ਼ਾਰ|ਲੱਖ|ਕਰੋੜ|వేల|లక్ష|కోట్|พัน|หมื่น|แสน|ล้าน|tausend|mil|tys|тыс|тис|мил|мілья|ribu|juta|elfu"
    r"|laki|libo|nghìn|ngàn|triệu|tỷ|bin|miljo|duisend|duizend|אלף|אלפי|tusen|ẹgbẹ̀rún)",
    re.IGNORECASE,
)
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_CARDINALS = {word: n for n, word in enumerate((*_UNITS.split(), "seventeen", "eighteen", "nineteen"))}
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_CARDINALS |= {word: 10 * n for n, word in enumerate(_TENS, 2)}
_POWERS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_IMPLIED: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("a", "an", "once", "single", "each", "every", "per"), (1,)),
    **dict.fromkeys(("twice", "double", "doubled", "doubles", "couple", "pair", "pairs", "both", "twins"), (2,)),
    **dict.fromkeys(("triple", "tripled", "triples", "thrice"), (3,)),
    **dict.fromkeys(("half", "halves", "halfway"), (1, 2, 50)),
    **dict.fromkeys(("quarter", "quarters", "fourths"), (1, 4, 15, 25)),
    **{
        "thirds": (3,),
        "fifths": (5,),
        "sixths": (6,),
        "eighths": (8,),
        "tenths": (10,),
        "noon": (12,),
        "dozens": (12,),
    },
    **{"midnight": (0, 12, 24), "week": (7,), "weekly": (7,), "square": (2,), "squared": (2,), "cubed": (3,)},
    **{word: (n, 1) for n, word in enumerate(_ORDINALS, 1)},
    **{word: (n,) for n, word in enumerate((*_MONTHS, "november", "december"), 1)},
}
_CHINESE = {digit: n for n, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_CHINESE_POWERS = {"十": 10, "百": 100, "千": 1000}
_CHINESE_NUMBER = re.compile(f"[{''.join(_CHINESE)}{''.join(_CHINESE_POWERS)}]{{1,12}}")
_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
SPELLED_WITHOUT = (1, 2)
"""numbers that a language may express without any word: an article, a dual"""
MAX_ROMAN = 39
MAX_SPELLED = 12
"""digits of the longest number that somebody may spell out"""


@dataclass(frozen=True)
class Number:
    """A number as it is written: the digits of its groups, in figures of our own.

    Args:
        text: how a person reads it.
        scaled: whether a word or a sign behind it multiplies it, as in 1.5 million and 150万.
    """

    groups: tuple[str, ...]
    text: str
    scaled: bool = False

    @cached_property
    def readings(self) -> frozenset[tuple[str, str]]:
        """The values it may mean, as (digits before the point, after it): 1.234 is 1234 or 1 and 234 thousandths."""
        first, *others = self.groups
        values = set()
        if not others or (len(others[-1]) == 3 and len(first) <= 3 and all(len(group) in (2, 3) for group in others)):
            values.add((_plain("".join(self.groups)), ""))
        if others:
            values.add((_plain("".join(self.groups[:-1])), others[-1].rstrip("0")))
        return frozenset(values)

    @cached_property
    def values(self) -> set[int]:
        """The whole numbers that it may mean; none that are too long to be spelled out."""
        return {int(whole) for whole, rest in self.readings if not rest and len(whole) <= MAX_SPELLED}

    @property
    def significant(self) -> str:
        """Its digits without the zeros around them, which are the same at each scale."""
        return "".join(self.groups).strip("0")


def _plain(digits: str) -> str:
    return digits.lstrip("0") or "0"


def numbers_in(text: str) -> list[Number]:
    """Return the numbers of a text, in their order."""
    figures = in_figures(text)
    return [
        Number(
            groups=tuple(_DIGITS.findall(("0" if match[0][0] in ".," else "") + match[0])),
            text=match[0],
            scaled=_SCALE.match(figures, match.end()) is not None,
        )
        for match in _NUMBER.finditer(figures)
    ]


def in_figures(text: str) -> str:
    """Return a text with the digits of every script as 0 to 9, and no TeX between the groups of a number."""
    text = unicodedata.normalize("NFKC", _SUPERSCRIPTS.sub(r"^\1 ", text))
    text = "".join(str(unicodedata.decimal(c)) if c > "\x7f" and c.isdecimal() else c for c in text)
    return _SPACING.sub("", text)


def lost_numbers(source: str, translation: str, target: str) -> list[str]:
    """Return the numbers of a text, as written, that its translation into the language with this code lacks.

    Script, separators and grouping do not matter. A number is not lost if the translation writes it in words, in
    Roman or Chinese numerals, with another scale (1.5 million, 150万) or on a clock of 24 hours. Words excuse no number
    if the translation has a figure that nothing in the text explains: 5 that becomes 6 is another number.
    """
    translated = numbers_in(translation)
    lost = _without_groups(_without_readings(numbers_in(source), translated), translated)
    lost = _without_scales(lost, translated)
    lost = _without_hours(lost, translated, source)
    if lost and all(number.values and number.values <= explained_values(source) for number in translated):
        lost = [number for number in lost if not any(_is_spelled(n, translation, target) for n in number.values)]
    return [number.text for number in lost]


def _without_readings(numbers: Sequence[Number], translated: list[Number]) -> list[Number]:
    """Return the numbers that no translated one can mean, and take the others out of `translated`."""
    places: dict[tuple[str, str], deque[int]] = {}
    for place, number in enumerate(translated):
        for reading in number.readings:
            places.setdefault(reading, deque()).append(place)
    taken: set[int] = set()
    lost = []
    for number in numbers:
        for reading in number.readings:
            queue = places.get(reading, deque())
            while queue and queue[0] in taken:
                queue.popleft()
            if queue:
                taken.add(queue.popleft())
                break
        else:
            lost.append(number)
    translated[:] = [number for place, number in enumerate(translated) if place not in taken]
    return lost


def _without_groups(numbers: Sequence[Number], translated: list[Number]) -> list[Number]:
    """Return the numbers whose groups are not there as numbers either: (1,2) is (1, 2), and 3:30 is 3.30."""
    groups = Counter(group for number in translated for group in number.groups)
    lost = []
    for number in numbers:
        if (wanted := Counter(number.groups)) <= groups:
            groups -= wanted
        else:
            lost.append(number)
    translated[:] = [number for number in translated if any(groups[group] for group in number.groups)]
    return lost


def _without_scales(lost: Sequence[Number], translated: list[Number]) -> list[Number]:
    """Return the numbers that no other scale makes equal to a translated one: 1.5 million and 150万, 20,000 and 2万."""
    places: dict[tuple[str, bool], list[int]] = {}
    for place, other in enumerate(translated):
        places.setdefault((other.significant, other.scaled), []).append(place)
    left, taken = [], set()
    for number in lost:
        alike = places.get((number.significant, True)) or (number.scaled and places.get((number.significant, False)))
        if alike:
            taken.add(alike.pop())
        else:
            left.append(number)
    translated[:] = [other for place, other in enumerate(translated) if place not in taken]
    return left


def _without_hours(lost: Sequence[Number], translated: list[Number], source: str) -> list[Number]:
    """Return the numbers that are not hours of an afternoon, which a clock of 24 hours writes differently."""
    left = list(lost)
    for hour in {int(hour_text) for hour_text in _AFTERNOON.findall(in_figures(source))} if lost else ():
        later = next((number for number in translated if number.groups[0] == str(hour + 12)), None)
        if later is not None:
            left = [number for number in left if number.groups[0] != str(hour)]
            translated.remove(later)
    return left


def explained_values(text: str) -> set[int]:
    """Return the values that an English text gives in words, so that figures of them in a translation add nothing."""
    values: set[int] = set()
    total = current = 0
    figure: int | None = None
    for word in re.findall(r"[a-z]+|\d[\d.,]*|[.,;:?!]", in_figures(text).lower()):
        if word[0].isdigit():
            figure = int(digits) if len(digits := re.sub(r"\D", "", word)) <= MAX_SPELLED else None
            total = current = 0
        elif word in _CARDINALS:
            current = current + _CARDINALS[word] if current and current % 10 == 0 else _CARDINALS[word]
            values |= {current, _CARDINALS[word], total + current}
        elif word in _POWERS:
            values |= {_POWERS[word]} | ({figure * _POWERS[word]} if figure is not None else set())
            current = (current or 1) * _POWERS[word]
            values |= {current, total + current}
            if _POWERS[word] >= 1000:
                total, current = total + current, 0
        elif word != "and":
            values |= set(_IMPLIED.get(word, ()))
            total = current = 0
            figure = None
    return values


def _is_spelled(value: int, translation: str, target: str) -> bool:
    """Return whether a translation may write a value in words, or in numerals that are not digits."""
    if value in SPELLED_WITHOUT or value in _chinese_values(translation, target):
        return True
    if 0 < value <= MAX_ROMAN and re.search(rf"(?<!\w){_roman(value)}(?![IVX])", translation):
        return True
    words = number_words(target).get(value)
    return words is not None and words.search(translation.lower()) is not None


def _roman(value: int) -> str:
    text = ""
    for amount, letters in _ROMAN:
        text += letters * (value // amount)
        value %= amount
    return text


def _chinese_values(text: str, target: str) -> set[int]:
    return {_chinese_value(written) for written in _CHINESE_NUMBER.findall(text)} if target in ("zh", "ja") else set()


@cache
def _chinese_value(numeral: str) -> int:
    total = digit = 0
    for character in numeral:
        if character in _CHINESE_POWERS:
            total, digit = total + (digit or 1) * _CHINESE_POWERS[character], 0
        else:
            digit = digit * 10 + _CHINESE[character]
    return total + digit
