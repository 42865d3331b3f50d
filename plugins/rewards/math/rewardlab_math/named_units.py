r"""The unit of an amount: `5 m` is not `5 km`, and `5 cm^2` not `5 cm^3`; 5000 m is 5 km, and 5 alone may be either.

A unit is what stands behind the number, with powers and quotients (`m/s^2`, `\mathrm{m\,s^{-1}}`, square feet), or a
sign of money before it. Words that the table lacks are counted things, which are not compared.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product

from rewardlab_math.scales import SCALES

_TABLE = """
1 m | *m *meter *meters *metre *metres *metro *metros *mètre *mètres *metri meter м метр метра метров 米
1 m | 公尺 メートル 미터
1000 m | kms км километр километра километров 公里 千米 キロメートル 킬로미터 kilómetro kilómetros quilômetro
1000 m | quilômetros chilometri
1/100 m | см сантиметр сантиметра сантиметров 厘米 公分 センチメートル 센티미터 centímetro centímetros
1/1000 m | мм 毫米 ミリメートル milímetro milímetros
1/10000000000 m | Å angstrom angstroms
254/10000 m | in inch inches
3048/10000 m | ft foot feet
9144/10000 m | yd yds yard yards
1609344/1000 m | mi mile miles 英里
1852 m | nmi
1 ly | ly light-year
10000 m^2 | ha hectare hectares hektar
40468564224/10000000 m^2 | acre acres
1/1000 m^3 | *l *L *liter *liters *litre *litres litro litros litri л литр литра литров 升 リットル 리터
1/1000000 m^3 | cc ml 毫升 мл
3785411784/1000000000000 m^3 | gal gallon gallons
946352946/1000000000000 m^3 | qt quart quarts
473176473/1000000000000 m^3 | pt pint pints
1 s | *s *second *seconds sec secs sekunde sekunden seconde secondes segundo segundos secondo secondi с
1 s | сек секунд секунда секунды 秒 초
60 s | min mins minute minutes minuten minuto minutos minuti мин минут минута минуты 分钟 分鐘 m
3600 s | h hr hrs hour hours stunde stunden heure heures hora horas ora ore ч час часа часов 小时 小時 時間 시간
86400 s | d day days tag tage tagen jour jours día días dia dias giorno giorni день дня дней 天
604800 s | wk wks week weeks woche wochen semaine semaines semana semanas settimana settimane неделя
604800 s | недели недель 周 星期
1 month | month months monat monate monaten mois mes meses mese mesi месяц месяца месяцев 个月
12 month | yr yrs year years jahr jahre jahren années año años ano anos anno anni год года лет 年
1/1000 kg | *g *gram *grams *gramme *grammes *gramm gm gms gramo gramos grammi г грамм грамма граммов 克
1/1000 kg | グラム 그램
1 kg | kgs kilo kilos кг килограмм килограмма килограммов 千克 公斤 キログラム
1000 kg | t ton tons tonne tonnes tonnen т тонн тонна тонны 吨
45359237/100000000 kg | lb lbs pound pounds
28349523125/1000000000000 kg | oz ounce ounces
5/18 m s^-1 | kph kmh kmph
1 m s^-1 | mps
44704/100000 m s^-1 | mph
1609344000000000/3785411784 m^-2 | mpg
1 s^-1 | *Hz *hertz
1 turns | rpm
1 kg m s^-2 | *N *newton *newtons 牛 牛顿
1 kg m^2 s^-2 | *J *joule *joules Nm 焦 焦耳
3600 kg m^2 s^-2 | *Wh
4184/1000 kg m^2 s^-2 | *cal *calorie *calories
1 eV | *eV
1 kg m^2 s^-3 | *W *watt *watts 瓦
1 kg m^-1 s^-2 | *Pa *pascal *pascals 帕
100000 kg m^-1 s^-2 | *bar
101325 kg m^-1 s^-2 | atm
1 mmHg | mmHg torr
1 psi | psi
1 A | *A *amp *amps *ampere *amperes
1 A s | *C *coulomb *coulombs
1 kg m^2 s^-3 A^-1 | *V *volt *volts
1 kg m^2 s^-3 A^-2 | *Ω *ohm *ohms
1 kg^-1 m^-2 s^4 A^2 | *F *farad *farads
1 kg m^2 s^-2 A^-2 | *H *henry
1 kg s^-2 A^-1 | *T *tesla
1 mol | *mol *mole *moles
1 K | K kelvin kelvins
1 °C | °C C celsius centigrade
1 °F | °F F fahrenheit
1 ° | ° deg degs degree degrees grad градус градуса градусов 度
1 °C | ° deg degs degree degrees grad градус градуса градусов 度
1 °F | ° deg degs degree degrees grad градус градуса градусов 度
1 rad | rad rads radian radians
1 bit | bit bits
1 B | byte bytes B
1 kB | kB KB kilobyte kilobytes
1 MB | MB megabyte megabytes
1 GB | GB gigabyte gigabytes
1 TB | TB terabyte terabytes
1 % | % percent pct
1 $ | $ us$ dollar dollars usd dólares dólar долларов доллара доллар 美元 ドル 달러
1/100 $ | cent cents ¢
1 € | € euro euros eur евро 欧元 ユーロ
1/100 € | cent cents
1 £ | £ pound pounds gbp
1/100 £ | p penny pence
1 ¥ | ¥ ￥ yen jpy 円
1 元 | ¥ ￥ yuan cny rmb 元 块
1 ₹ | ₹ rs rupee rupees inr रुपये रुपया টাকা రూపాయలు
1 ₽ | ₽ ruble rubles rouble roubles rub руб рубль рубля рублей
1 ₩ | ₩ won krw 원
1 Rp | rp rupiah idr
1 ฿ | ฿ baht thb บาท
1 ₫ | ₫ vnd đồng
1 ₦ | ₦ naira ngn
1 KSh | ksh shilling shillings kes shilingi
"""
"""value and dimension of each unit, and its names; those with a star take the prefixes of the SI"""

_SYMBOL_PREFIXES = {"n": -9, "µ": -6, "μ": -6, "u": -6, "m": -3, "c": -2, "d": -1, "h": 2, "k": 3, "M": 6, "G": 9}
_NAME_PREFIXES = {"nano": -9, "micro": -6, "milli": -3, "centi": -2, "deci": -1, "kilo": 3, "mega": 6, "giga": 9}
_RARE = {"c": ("m", "l", "L", "g"), "d": ("m", "l", "L"), "h": ("Pa",), "u": ("m", "g", "l", "L", "A", "F", "V")}
_SYMBOLS = ("*mol", "*cal", "*bar")
_BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3, "平方": 2, "立方": 3, "quadrat": 2, "kubik": 3, "кв": 2, "куб": 3}
_BEHIND = {
    **dict.fromkeys(("squared", "carré", "carrés", "cuadrados", "quadrados", "quadrati"), 2),
    **dict.fromkeys(("cubed", "cubes", "cúbicos", "cubi"), 3),
}
_PER = {"/", "per", "an", "a", "pro", "par", "por", "每"}

Unit = tuple[Fraction, tuple[tuple[str, int], ...]]
"""its value in the units of its dimension, and that: for each of these the power"""

_ENDS = 120
"""characters of an answer's end in which its unit begins"""
MAX_WORDS, MAX_POWER = 6, 9
_GROUP = re.compile(
    r"\\(?:text\w*|math(?:rm|sf|it|bf|up)|mbox|operatorname)\s*\{((?:[^{}]|\{[^{}]{0,9}\}){0,60})\}"
    r"|\{\s*\\rm(?![A-Za-z])([^{}]{0,60})\}"
)
_QUOTIENT = re.compile(
    r"\\[dtc]?frac\s*\{\s*([^\W\d_][^{}\\]{0,30})\}\s*\{\s*([^\W\d_][^{}\\]{0,30}(?:\{-?\d\}\s*)?)\}\s*\Z"
)
_SIGNS = (
    (re.compile(r"(?:\^\s?)?(?:\{\s?)?\\(?:circ|degree)(?![A-Za-z])\s?\}?"), "°"),
    (re.compile(r"(?:°|\bdeg(?:rees?|s)?\b)\s*(?=(?:celsius|centigrade|fahrenheit)\b)", re.IGNORECASE), " "),
    (re.compile(r"\bdeg(?:rees?)?\s+(?=[CF]\b)"), "°"),
    (re.compile(r"\\Omega(?![A-Za-z])|\u2126"), "Ω"),
    (re.compile(r"\\mu(?![A-Za-z])\s*"), "µ"),
    (re.compile(r"\\([$%])"), r"\1"),
    (re.compile(r"\b(?:per|pour|por)[ -]?cent(?:age|s|o)?\b", re.IGNORECASE), "%"),
    (re.compile(r"\\[,;:! ]|~|\\(?:cdot|times|quad)(?![A-Za-z])"), " "),
)
_SIGN = "%$€£¥￥₹₽₩฿₫₦¢"
_TOKEN = re.compile(
    rf"(?P<word>°\s?[CF](?![^\W\d_])|°|light-years?|US\$|[^\W\d_]+|[{_SIGN}])|(?P<power>\^\s*\{{?\s*-?\d\s*\}}?)|(?P<per>/)"
    r"|(?P<joint>[\s.*()-]+)|(?P<other>\\[A-Za-z]+|.)",
    re.DOTALL,
)
_FIRST = re.compile(
    rf"[\s\\{{(~=-]{{0,8}}(?P<unit>US\$|[{_SIGN}]|(?:USD|EUR|GBP|JPY|CNY|INR|Rs|Rp)\b)[\s.]{{0,2}}\\?(?=[\d\\])"
)
_NO_VARIABLE = re.compile(r"\\[A-Za-z]+|\A.*=|[^\W\d_]{3,}|\b(?:a|is|it|of|to|so|we)\b", re.DOTALL)
_LETTER, _COMPOUND = re.compile(r"[A-Za-z]"), re.compile(r"[\\^/Ωµμ]")
_PROSE = re.compile(r" ?(?:in|mi|p|ha)(?= [^\W\d_])")  # "5 in total"
_MEASURE = re.compile(r"[^\W\d_]{3}")
_PARTS = re.compile(r"\d+(?:\.\d+)?\s?[^\W\d_]+\.?(?:(?:,| and)?\s+\d+(?:\.\d+)?\s?[^\W\d_]+\.?){1,3}")
_PART = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s?(?P<unit>[^\W\d_]+)")


def rate(gold: str, answer: str) -> Fraction | None:
    """Return how many of the gold answer's units one of the answer's is, 1 if either names none; None: another kind."""
    units, others = _unit(summed(gold)), _unit(summed(answer))
    rates = [other / value for value, kind in units for other, other_kind in others if kind == other_kind]
    return Fraction(1) if not units or not others or 1 in rates else min(rates, default=None)


def names_unit(text: str) -> bool:
    """Return whether an amount has a unit."""
    return bool(_unit(summed(text)))


def is_compound(text: str) -> bool:
    r"""Return whether a text is nothing but a unit with powers, quotients or signs: `\mathrm{m\,s^{-1}}`, `µm`."""
    return _COMPOUND.search(text) is not None and bool(_read(_flat(text)))


def end_behind(text: str, start: int) -> int:
    """Return where the unit, or the word for a power of ten, ends that begins in a place; the place without one."""
    end, is_scaled = start, False
    for token in _TOKEN.finditer(text, start, start + _ENDS):
        kind, word = token.lastgroup, token.group().lower()
        is_scale = word in SCALES or (word[:1] in SCALES and not word.isascii())
        if kind == "power" or (kind == "word" and (is_scale or word in _BEHIND or _word(_raised(token.group())[1]))):
            end, is_scaled = token.end(), is_scaled or is_scale
        elif not (kind == "per" or token.group() == " " or word in _PER or word in _BEFORE):
            break
    return start if _PROSE.match(text, start) or not (is_scaled or _read(text[start:end])) else end


def summed(text: str) -> str:
    r"""Return an amount in several units of one kind in the first: `1 hour 30 minutes` is `3/2 hour`."""
    if len(text) > _ENDS or not _PARTS.fullmatch(text):
        return text
    parts = [(Fraction(part["number"]), _word(part["unit"]), part["unit"]) for part in _PART.finditer(text)]
    first = parts[0][2]
    for value, kind in _word(first):
        sizes = [next((size for size, other in units if other == kind), None) for _, units, _ in parts]
        known = [size for size in sizes if size is not None]
        if len(known) == len(parts) and sorted(known, reverse=True) == known and len(set(known)) == len(known):
            total = sum((number * size / value for (number, *_), size in zip(parts, known, strict=True)), Fraction())
            return f"{total} {first}"
    return text


@lru_cache(maxsize=4096)
def _unit(text: str) -> frozenset[Unit]:
    """Return the units that the one amount in a text may have, none if it is a formula of variables or names none."""
    flat = _flat(text)
    first = _FIRST.match(flat)
    tokens = list(_TOKEN.finditer(flat, max(0, len(flat) - _ENDS)))
    begin = next((place for place in range(len(tokens), 0, -1) if tokens[place - 1].lastgroup == "other"), 0)
    while begin < len(tokens) and tokens[begin].lastgroup == "power":  # of the number: 10^{3} J
        begin += 1
    head = flat[: tokens[begin].start()] if begin < len(tokens) else flat
    behind = flat[len(head) :]
    if first is not None:
        is_price = behind.lstrip().startswith(("/", "per ")) or _MEASURE.search(behind)
        behind = f"{first['unit']} {behind}" if is_price and not _read(behind) & _read(first["unit"]) else first["unit"]
    elif not re.search(r"[\d\\]", head) or _LETTER.search(_NO_VARIABLE.sub("", head)):
        return frozenset()
    units = _read(behind)
    is_angle = any(kind in ((("rad", 1),), (("°", 1),)) for _, kind in units)
    return frozenset() if is_angle and r"\pi" in head else units  # which may be converted, see `rewritings`


def _flat(text: str) -> str:
    for _ in range(2):
        text = " ".join(_GROUP.sub(lambda group: f" {group[1] or group[2] or ''} ", text).split())
    for sign, written in _SIGNS:
        text = sign.sub(written, text)
    return _QUOTIENT.sub(r" \1/\2", text.rstrip(" .,;"))


def _read(text: str) -> frozenset[Unit]:
    """Return the units that words, powers and quotients may mean; none if a short word stands beside unknown ones."""
    factors: list[tuple[frozenset[Unit], int]] = []
    words, power, sign, counts = [], 1, 1, False
    for token in _TOKEN.finditer(text):
        kind, word = token.lastgroup, token.group().lower()
        if kind == "power" and factors:
            factors[-1] = factors[-1][0], factors[-1][1] * int(word.strip("^{} \t\n"))
            if abs(factors[-1][1]) > MAX_POWER:
                return frozenset()
        elif kind in ("power", "other") or len(factors) > MAX_WORDS:
            return frozenset()
        elif word in _BEHIND and factors:
            factors[-1] = factors[-1][0], _BEHIND[word] * (1 if factors[-1][1] > 0 else -1)
        elif word in _BEFORE:
            power = _BEFORE[word]
        elif word in _PER and (factors or counts):
            sign = -1
        elif kind == "word" and word not in SCALES:
            raised, bare = _raised(token.group())
            units = _word(bare)
            factors += [(units, sign * power * raised)] if units else []
            counts, power = counts or not units, 1
            words.append(word)
    if not factors or (counts and any(len(word) < 3 and word.isascii() for word in words)):
        return frozenset()
    return frozenset(
        _product(tuple(zip(units, (power for _, power in factors), strict=True)))
        for units in product(*(units for units, _ in factors))
    )


def _raised(word: str) -> tuple[int, str]:
    """Return the power that a word begins with, 平方厘米 or Quadratmeter, and the rest of it."""
    lower = word.lower()
    begins = () if _word(word) else [name for name in _BEFORE if lower.startswith(name) and _word(word[len(name) :])]
    return (_BEFORE[begins[0]], word[len(begins[0]) :]) if begins else (1, word)


def _word(word: str) -> frozenset[Unit]:
    """Return the units that a word names: as it is written, or in another case if it is no single letter."""
    found = _NAMES.get(word, set())
    return frozenset(found or (_FOLDED.get(word.casefold(), set()) if len(word) > 1 else set()))


def _product(factors: tuple[tuple[Unit, int], ...]) -> Unit:
    value, powers = Fraction(1), dict[str, int]()
    for (factor, kind), power in factors:
        value *= factor**power
        for base, exponent in kind:
            powers[base] = powers.get(base, 0) + exponent * power
    return value, tuple(sorted((base, exponent) for base, exponent in powers.items() if exponent))


def _names() -> Iterator[tuple[str, Unit]]:
    for line in _TABLE.strip().splitlines():
        measure, _, names = line.partition(" | ")
        size, *bases = measure.split()
        kind = tuple(sorted((base.partition("^")[0], int(base.partition("^")[2] or 1)) for base in bases))
        for name in names.split():
            yield name.lstrip("*"), (Fraction(size), kind)
            if name[0] == "*":
                prefixes = _SYMBOL_PREFIXES if len(name) < 4 or name in _SYMBOLS else _NAME_PREFIXES
                for prefix, exponent in prefixes.items():
                    if name[1:] in _RARE.get(prefix, (name[1:],)):
                        yield prefix + name[1:], (Fraction(size) * Fraction(10) ** exponent, kind)


_NAMES: dict[str, set[Unit]] = {}
_FOLDED: dict[str, set[Unit]] = {}
for _name, _known in _names():
    _NAMES.setdefault(_name, set()).add(_known)
    _FOLDED.setdefault(_name.casefold(), set()).add(_known)
