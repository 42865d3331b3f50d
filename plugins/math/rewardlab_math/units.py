"""Recognise words around a number: currencies, units of measure, counted things, words for powers of ten."""

import re

CURRENCY = (
    r"(?:US\$|R\$|Rs\.?|[$€£¥₹₽₩₫฿৳₪₺₴₦₱￥₭₮₵₡₲]"
    r"|(?:USD|EUR|GBP|JPY|CNY|INR|RUB|KRW|IDR|BRL|THB|VND|NGN|KES|TZS)\b)"
)
"""A sign or code that may stand before a number."""

SCALES = {
    **dict.fromkeys(["thousand", "ribu", "mil", "tausend", "mille", "тысяч", "тысячи", "千"], 10**3),
    **dict.fromkeys(["万", "萬", "만"], 10**4),
    **dict.fromkeys(["lakh", "lakhs", "লক্ষ", "লাখ", "लाख", "లక్షల"], 10**5),
    **dict.fromkeys(
        ["million", "millions", "juta", "millones", "milhões", "millionen", "миллиона", "миллионов"], 10**6
    ),
    **dict.fromkeys(["crore", "crores", "কোটি", "करोड़", "కోట్ల"], 10**7),
    **dict.fromkeys(["億", "亿", "억"], 10**8),
    **dict.fromkeys(["billion", "billions", "miliar", "milliarden", "milliards", "миллиардов"], 10**9),
}
"""Words that may multiply the number before them: "3万" is 30,000, or 3 where the question counts in 万."""

_KNOWN_WORDS = """
mm cm dm km nm um sq cu ha in ft yd mi oz lb lbs kg mg gm gr ml cl dl hl cc kb mb gb tb hz kw kwh wh mph kph
kmh sec min hr hrs yr yrs wk day mol pa kpa bar atm ev rs pcs pct am pm rpm deg rad m g s h l n j w v a
k c f t
"""
_KNOWN = frozenset(_KNOWN_WORDS.split())
_TEXT = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox|rm|bf)\s*\{(?P<inside>[^{}]*)\}")
_POWER = re.compile(r"(?<=[^\d\s^])\^\s*(?:\{\s*-?[1-3]\s*\}|-?[1-3])")
_DEGREE = re.compile(r"\^?\s*\{?\s*(?:\\circ|\\degree)\s*\}?")
_JOINT = re.compile(r"(?:\\cdot|\\times|[\s/.,·*()\"'-])+")
_ASCII_WORD = re.compile(r"[A-Za-z]+")
_OTHER_WORD = re.compile(r"[^\d\x00-/:-@\[-`{-\x7f]+")  # letters and marks of any script
_UNIT_START = re.compile(r"\s+|(?=\\(?:text|math(?:rm|bf|it|sf)|mbox|rm|bf))")
_FORMULA_END = re.compile(r"(?:[\d})\]]|\\[A-Za-z]+)\Z")
_MOST_WORDS = 6


def is_unit(rest: str) -> bool:
    r"""Return whether the text after a number only names what is counted: "", " apples", `\text{ cm}^2`, " км/ч".

    Letters that may be variables are not a unit: "12x", "12 x", "12ab".
    """
    bare = _DEGREE.sub(" ", _POWER.sub("", _TEXT.sub(_as_unit, rest)))
    attached, *apart = _JOINT.split(bare)
    return _is_word(attached, shortest=None) and all(_is_word(word, shortest=3) for word in apart)


def _as_unit(text: re.Match) -> str:
    r"""Return a unit in place of `\text{...}`, whatever it says; a single letter (`\mathrm{e}`) and digits are kept."""
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
    """Return the power of ten that the first word after a number stands for; None for another word."""
    first = re.split(r"[\s/]", rest.strip(), maxsplit=1)[0].lower()
    if first in SCALES:
        return SCALES[first]
    return SCALES.get(first[:1])  # 万元: no space between scale and unit


def without_unit(formula: str) -> str:
    r"""Return a formula without the unit after it, as in `10\pi \text{ cm}^2` and `2\sqrt{3} inches`."""
    for start in list(_UNIT_START.finditer(formula))[-_MOST_WORDS:]:
        head = formula[: start.start()]
        if _FORMULA_END.search(head) and is_unit(formula[start.start() :]):
            return head
    return formula
