"""Recognise words around a number: currencies, units of measure, counted things, words for powers of ten."""

import re

from rewardlab_math.scales import SCALES

CURRENCY = (
    r"(?:US\$|R\$|Rs\.?|[$€£¥₹₽₩₫฿৳₪₺₴₦₱￥₭₮₵₡₲]"
    r"|(?:USD|EUR|GBP|JPY|CNY|INR|RUB|KRW|IDR|BRL|THB|VND|NGN|KES|TZS)\b)"
)
"""A sign or code that may stand before a number."""

_KNOWN_WORDS = """
mm cm dm km nm um sq cu ha in ft yd mi oz lb lbs kg mg gm gr ml cl dl hl cc kb mb gb tb hz kw kwh wh mph kph
kmh sec min hr hrs yr yrs wk day mol pa kpa bar atm ev rs pcs pct am pm rpm deg rad
kj kn kv khz mhz ghz mw gw m g s h l n j w v a
k c f t
"""
_KNOWN = frozenset(_KNOWN_WORDS.split())
_TEXT = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox|rm|bf)\s*\{(?P<inside>[^{}]*)\}")
_SPACE = re.compile(r"\\(?:[,;:! ]|q?quad\b)|~")
_POWER = re.compile(r"(?<=[^\d\s^])\^\s*(?:\{\s*-?[1-3]\s*\}|-?[1-3])")
_DEGREE = re.compile(r"\^?\s*\{?\s*(?:\\circ|\\degree)\s*\}?")
_HALF = re.compile(r"(?<![A-Za-z])([ap])\. ?m(?![A-Za-z])", re.IGNORECASE)
_JOINT = re.compile(r"(?:\\cdot|\\times|[\s~/.,·*()\"'-])+")
_ANY_WORD = re.compile(r"[^\W\d_]+")
_ASCII_WORD = re.compile(r"[A-Za-z]+")
_OTHER_WORD = re.compile(r"[^\d\x00-/:-@\[-`{-\x7f]+")  # letters and marks of any script
_UNIT_START = re.compile(r"\s+|(?=\\(?:text|math(?:rm|bf|it|sf)|mbox|rm|bf))")
_FORMULA_END = re.compile(r"(?:[\d})\]]|\\[A-Za-z]+)\Z")
_OPEN_END = re.compile(
    r"\\(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|coth|arc[a-z]+|ln|log|lg|exp|det|gcd|lcm|max|min|lim|sup|inf|dim|ker|arg"
    r"|deg|Pr|int|sum|prod|pm|mp|cdot|times|div|ast|cup|cap|setminus|in|notin|subset\w*|le|ge|lt|gt|leq|geq|ne|neq|approx|equiv"
    r"|sim|to|rightarrow|mid|mod|bmod|circ|land|lor|neg|sqrt|[dtc]?frac|[a-z]?vec|hat|bar|dot|ddot|overline|partial|nabla"
    r"|left|right|operatorname)(?:[\^_]\s*(?:\{[^{}]*\}|\w))*\Z"
)
_COMMAND = re.compile(r"\\[A-Za-z]+")
_LETTERS, _VARIABLE = re.compile(r"[^\W\d_]"), re.compile(r"[A-Za-zα-ωΑ-Ω]")
_PRINTED_BRACE = re.compile(r"\\[{}]")
_OPENING, _CLOSING = re.compile(r"[(\[]"), re.compile(r"[)\]]")
_MAX_WORDS = 6
_INNER = re.compile(
    r"(?<=[\d}])(?P<unit>\s*\\(?:text\w*|math(?:rm|sf)|mbox)\s*\{(?P<inside>[^{}\d]*)\}"
    r"(?:\s*\^\s*(?:\{\s*-?[1-3]\s*\}|-?[1-3]))?)(?=\s*\})"
)


def is_unit(rest: str) -> bool:
    r"""Return whether the text after a number only names the counted things: "", " apples", `\text{ cm}^2`, " км/ч".

    Letters that may be variables are not a unit: "12x", "12 x", "12ab".
    """
    bare = _HALF.sub(r"\1m", _DEGREE.sub(" ", _POWER.sub("", _TEXT.sub(_as_unit, rest))))
    attached, *apart = _JOINT.split(bare)
    return _is_word(attached, shortest=None) and all(_is_word(word, shortest=3) for word in apart)


def _as_unit(text: re.Match) -> str:
    r"""Return a unit in place of any `\text{...}`; a single letter (`\mathrm{e}`) and digits are kept."""
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
    r"""Return the power of ten that the first word after a number, or its `\text`, stands for; None without one."""
    bare = _SPACE.sub(" ", _TEXT.sub(r" \g<inside> ", rest)).strip()
    first = re.split(r"[\s/]", bare, maxsplit=1)[0].lower()
    if first in SCALES:
        return SCALES[first]
    return SCALES.get(first[:1])  # 万元: no space between scale and unit


def scales_in(text: str) -> frozenset[int]:
    r"""Return the powers of ten for which the words of a text stand: of `2\pi \text{ million}` 10^6."""
    return frozenset(SCALES[word] for word in _ANY_WORD.findall(text.lower()) if word in SCALES)


def without_unit(formula: str) -> str:
    r"""Return a formula without the unit after it, as in `10\pi \text{ cm}^2` and `2\sqrt{3} inches`.

    A unit follows an operand outside of all brackets, never a function: `\ln a` and `(a + 2 t)` have none. Outside of
    `\text{...}` it is a word of four letters, or a known one of at least two after a formula without variables:
    `x^2 + 2 a` has none either.
    """
    for start in list(_UNIT_START.finditer(formula))[-_MAX_WORDS:]:
        head, rest = formula[: start.start()], formula[start.start() :]
        if _FORMULA_END.search(head) and not _OPEN_END.search(head) and _is_closed(head) and _is_unit_of_formula(rest):
            has_variables = _VARIABLE.search(_COMMAND.sub(" ", head.rpartition("=")[2]))
            if not has_variables or not _LETTERS.search(_COMMAND.sub(" ", _TEXT.sub(" ", rest))):
                return head
    return formula


def without_inner_units(formula: str) -> str:
    r"""Return a formula without the units at the ends of its groups, as in `\frac{3\text{ km}}{4\text{ h}}`."""
    return _INNER.sub(lambda unit: "" if _is_inner_unit(unit) else unit.group(), formula)


def _is_inner_unit(unit: re.Match[str]) -> bool:
    is_letter = unit["inside"].startswith(" ") and unit["inside"].strip().lower() in _KNOWN  # \text{ m}
    return is_letter or _is_unit_of_formula(unit["unit"])


def _is_unit_of_formula(rest: str) -> bool:
    bare = _DEGREE.sub(" ", _POWER.sub("", _TEXT.sub(" unit", rest)))
    words = [word for word in _JOINT.split(bare) if word]
    compound = len(words) > 1 and "/" in bare  # m/s
    return is_unit(rest) and all(
        len(word) >= 4
        or word in ("per", "sq")
        or (word.lower() in _KNOWN and (len(word) > 1 or compound))
        or not word.isascii()
        for word in words
    )


def _is_closed(head: str) -> bool:
    """Return whether no bracket is open at the end; a bracket of an interval may close a round one."""
    bare = _PRINTED_BRACE.sub("", head)
    return bare.count("{") == bare.count("}") and len(_OPENING.findall(bare)) == len(_CLOSING.findall(bare))
