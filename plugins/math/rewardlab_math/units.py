"""Words around a number: currencies, units of measure, counted things, words for powers of ten."""

import re

CURRENCY = r"(?:US\$|R\$|Rs\.?|[$€£¥₹₽₩₫฿৳₪₺₴₦₱￥₭₮₵₡₲]|(?:USD|EUR|GBP|JPY|CNY|INR|RUB|KRW|IDR|BRL|THB|VND|NGN|KES|TZS)\b)"
"""A sign or code that may stand before a number."""

SCALES = {
    **{"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12},
    **{"lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7},
    **{"ribu": 10**3, "juta": 10**6, "miliar": 10**9, "mil": 10**3, "millones": 10**6, "milhões": 10**6},
    **{
        "tausend": 10**3,
        "millionen": 10**6,
        "milliarden": 10**9,
        "mille": 10**3,
        "millions": 10**6,
        "milliards": 10**9,
    },
    **{"тысяч": 10**3, "тысячи": 10**3, "миллиона": 10**6, "миллионов": 10**6, "миллиардов": 10**9},
    **{"千": 10**3, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "만": 10**4, "억": 10**8},
    **{"লক্ষ": 10**5, "লাখ": 10**5, "কোটি": 10**7, "लाख": 10**5, "करोड़": 10**7, "లక్షల": 10**5, "కోట్ల": 10**7},
}
"""Words that may multiply the number before them: "3万" is 30,000, or 3 where the question counts in 万."""

_KNOWN = frozenset(
    "mm cm dm km nm um sq cu ha in ft yd mi oz lb lbs kg mg gm gr ml cl dl hl cc kb mb gb tb hz kw kwh wh mph kph kmh "
    "sec min hr hrs yr yrs wk day mol pa kpa bar atm ev rs pcs pct am pm rpm deg rad m g s h l n j w v a k c f t".split()
)
_TEXT = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox|rm|bf)\s*\{(?P<inside>[^{}]*)\}")
_POWER = re.compile(r"(?<=[^\d\s^])\^\s*(?:\{\s*-?[1-3]\s*\}|-?[1-3])")
_DEGREE = re.compile(r"\^?\s*\{?\s*(?:\\circ|\\degree)\s*\}?")
_JOINT = re.compile(r"(?:\\cdot|\\times|[\s/.,·*()\"'-])+")
_ASCII_WORD = re.compile(r"[A-Za-z]+")
_OTHER_WORD = re.compile(r"[^\d\x00-/:-@\[-`{-\x7f]+")  # letters and marks


def is_unit(rest: str) -> bool:
    r"""Whether what follows a number only names what is counted: "", " apples", `\text{ cm}^2`, " км/ч", "個".

    Letters that may be variables are no unit: "12x", "12 x", "12ab".
    """
    bare = _DEGREE.sub(" ", _POWER.sub("", _TEXT.sub(_as_unit, rest)))
    attached, *apart = _JOINT.split(bare)
    return _is_word(attached, shortest=None) and all(_is_word(word, shortest=3) for word in apart)


def _as_unit(text: re.Match) -> str:
    r"""`\text{...}` without digits is a unit, whatever it says; `\mathrm{e}` is no text."""
    inside = text["inside"].strip()
    if any(character.isdigit() for character in inside):
        return text.group()
    return f" {inside}" if len(inside) == 1 else " m"


def _is_word(word: str, shortest: int | None) -> bool:
    if not word or word.lower() in _KNOWN:
        return True
    if _ASCII_WORD.fullmatch(word):
        return shortest is not None and len(word) >= shortest
    return _OTHER_WORD.fullmatch(word) is not None


def scale(rest: str) -> int | None:
    """The power of ten that the first word after a number stands for, if it does."""
    first = re.split(r"[\s/]", rest.strip(), maxsplit=1)[0].lower()
    if first in SCALES:
        return SCALES[first]
    return SCALES.get(first[:1])  # 万元: no space between scale and unit


_HEAD = r"(?P<head>.*?(?:[\d})\]]|\\[A-Za-z]+))"
_MEASURED = re.compile(
    _HEAD
    + rf"(?P<unit>(?:\s*{_TEXT.pattern.replace('?P<inside>', '')}(?:{_POWER.pattern})?|\s+[^\s\d\\=<>+*{{}}()^,;]+(?:{_POWER.pattern})?)+)",
    re.DOTALL,
)


def without_unit(formula: str) -> str:
    r"""A formula without the unit after it: `10\pi \text{ cm}^2` and `2\sqrt{3} inches` lose theirs."""
    match = _MEASURED.fullmatch(formula)
    return match["head"] if match and is_unit(match["unit"]) else formula
