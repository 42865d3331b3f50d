"""Whether an answer names another unit than the gold one: 5 m is not 5 km, whereas 5 alone may be.

Known are English units of length, time, mass, volume and money, and percent. Other words are not compared.
"""

import re

_SPELLINGS = """
km kilometer kilometers kilometre kilometres kms
m meter meters metre metres
cm centimeter centimeters centimetre centimetres
mm millimeter millimeters millimetre millimetres
mile miles mi
yard yards yd yds
foot feet ft
inch inches
second seconds sec secs s
minute minutes min mins m
hour hours hr hrs h
day days
week weeks wk wks
month months
year years yr yrs
kg kilogram kilograms kgs
g gram grams
mg milligram milligrams
pound pounds lb lbs £
ounce ounces oz
l liter liters litre litres
ml milliliter milliliters millilitre millilitres
gallon gallons
$ dollar dollars usd
cent cents
€ euro euros eur
¥ yen jpy
₹ rupee rupees inr
% percent
"""
_UNITS: dict[str, set[str]] = {}
for _line in _SPELLINGS.strip().splitlines():
    for _word in _line.split():
        _UNITS.setdefault(_word, set()).add(_line.split()[0])

_LAST = re.compile(r"(?<![A-Za-z\\/])(?P<word>[A-Za-z]{1,11}|[%$€£¥₹])[\s.}$)\\]{0,8}\Z")
_FIRST = re.compile(r"[\s\\{(~=-]{0,8}(?P<sign>[$€£¥₹])\s?\\?\d|[\s\\{(~=-]{0,8}(?P<code>USD|EUR|JPY|INR)\b")
_NO_VARIABLE = re.compile(r"\\[A-Za-z]+|\b(?:square|cubic|sq|cu)\b|\A.*=", re.DOTALL)
_LETTER = re.compile(r"[A-Za-z]")
_ENDS = 24
"""characters of an answer's end in which its unit begins"""


def may_agree(gold: str, answer: str) -> bool:
    """Return whether two answers name one unit, or either names none that is known."""
    unit, other = _unit(gold), _unit(answer)
    return not unit or not other or bool(unit & other)


def _unit(text: str) -> set[str]:
    """Return the units of the one amount that a text is; `m` may be metres or minutes. Variables are no units."""
    last = _LAST.search(text, max(0, len(text) - _ENDS))
    if last is not None and (named := _UNITS.get(last["word"].lower())) is not None:
        amount = _NO_VARIABLE.sub("", text[: last.start()])
        return set() if _LETTER.search(amount) or not re.search(r"[\d\\]", text) else named
    first = _FIRST.match(text)
    return set() if first is None else _UNITS[(first["sign"] or first["code"]).lower()]
