"""Wrong answers made of the right number: of another size, sign or unit, a date turned round, a fraction upside down.

Each function returns the wrong answers by what was done, none if the right answer is of another kind.
"""

import re
from decimal import Decimal

from rewardlab_probe.attempts.near_answers import DATE, DECIMAL, NEAR_SHARE, value_of

_FRACTION = re.compile(r"(-?)(?:(\d{1,9}) ?/ ?(\d{1,9})|\\[dt]?frac\{(\d{1,9})\}\{(\d{1,9})\})")
_ONE_NUMBER = re.compile(r"([^\d.-]{0,12})(-?\d{1,3}(?:,\d{3})+(?:\.\d{1,6})?|-?\d{1,12}(?:\.\d{1,12})?)([^\d.]{0,16})")
_WITH_UNIT = re.compile(r"(\D*?)\s?(-?[\d.,:]{1,16})(\s?)(\D{0,12})")
_REDUCED = re.compile(r"lowest terms|simplest form|simplif|reduced?\b|irreducible", re.IGNORECASE)
"""A prompt for which a fraction of the right value is not yet right."""
_UNITS = tuple(
    tuple(tuple(unit.split("|")) for unit in units.split())
    for units in (
        "km|kilometers|kilometres|kilometer m|meters|metres|meter cm|centimeters|centimetres mm|millimeters "
        "miles|mi|mile feet|ft|foot inches|in|inch yards|yd|yard",
        "kg|kilograms|kilogram g|grams|gram mg|milligrams lb|lbs|pounds|pound oz|ounces tons|tonnes|t",
        "s|sec|seconds|second min|minutes|minute|mins h|hours|hour|hr|hrs ms|milliseconds days|day weeks|week "
        "months|month years|year",
        "l|L|liters|litres ml|mL|milliliters gallons|gallon cups|cup",
        "°C °F K",
        "€|EUR|euros $|USD|dollars £|GBP ¥|JPY|yen cents|cent|¢",
        "am|AM|a.m. pm|PM|p.m.",
        "km/h|kmh mph m/s",
        "J kJ eV",
        "W kW V",
        "m^2|m² m^3|m³ cm^2|cm² cm^3|cm³",
        "thousand million billion",
        "N S",
        "BC|BCE AD|CE",
    )
)
"""Units by dimension, each with its names: another of the dimension is another answer, another name is not."""


def other_scale(answer: str) -> dict[str, str]:
    """Return the one number of a short answer with another size or sign, or a fraction upside down."""
    if fraction := _FRACTION.fullmatch(answer):
        sign, over, under = fraction[1], fraction[2] or fraction[4], fraction[3] or fraction[5]
        made = {"inverted": f"{sign}{under}/{over}", "numerator": f"{sign}{over}", "joined": over + under}
        return made if int(over) != int(under) and int(under) > 1 and int(over) else {}
    match = _ONE_NUMBER.fullmatch(answer)
    number = Decimal(match[2].replace(",", "")) if match else Decimal(0)
    if not match or not number or "±" in match[1]:
        return {}
    if number < 0 and match[1][-1:].isalpha():  # a hyphen, as in COVID-19
        return {}
    sizes = {
        "hundredfold": number * 100,
        "hundredth": number / 100,
        "tenfold": number * 10,
        "thousandfold": number * 1000,
        "tenth": number / 10,
        "double": number * 2,
        "negated": -number,
        "a_tenth_more": number * Decimal("1.1"),
        "plus_half_again": number * Decimal("1.5"),
    }
    whole = number == int(number)
    if not whole and abs(number - round(number)) > abs(number) * Decimal(NEAR_SHARE):
        sizes["rounded"] = Decimal(round(number))
        sizes["without_point"] = Decimal(match[2].replace(".", ""))
    return {variant: f"{match[1]}{_plain(size)}{match[3]}" for variant, size in sizes.items()}


def other_unit(answer: str) -> dict[str, str]:
    """Return the number with another unit of the same dimension, or a date with day and month the other way round."""
    if date := DATE.fullmatch(answer):
        year, first, mark, other, end = (part or "" for part in date.groups())
        swaps = bool(year) != bool(end) and int(first) != int(other) and max(int(first), int(other)) <= 12
        return {"day_and_month": f"{year}{other}{mark}{first}{end}"} if swaps else {}
    match = _WITH_UNIT.fullmatch(answer)
    if not match or not re.search("[1-9]", match[2]) or match[2] == "-40":  # no length is no length in any unit
        return {}
    before, number, space, behind = match.groups()
    if behind:
        return {unit: f"{before}{number}{space}{unit}" for unit in _other_names(behind)}
    return {unit: f"{unit}{number}" for unit in _other_names(before)}


def _other_names(name: str) -> list[str]:
    """Return the names of the other units of a unit's dimension; [] if it is not known."""
    for units in _UNITS:
        if any(name in names for names in units):
            return [names[0] for names in units if name not in names]
    return []


def of_the_prompt(answer: str, prompt: str) -> dict[str, str]:
    """Return what the prompt has in the shape of the answer: another fraction, date or time."""
    if not re.search(r"\d", answer) or DECIMAL.fullmatch(answer) or re.search(r"[a-z]{4}", answer, re.IGNORECASE):
        return {}
    shape = re.sub(r"\d+", r"\\d+", re.escape(answer))
    numbers = [shaped for shaped in re.findall(rf"(?<!\d){shape}(?!\d)", prompt) if shaped != answer]
    right = value_of(answer)
    wrong = [number for number in numbers if right is None or value_of(number) != right or _REDUCED.search(prompt)]
    return {f"shape_{place}": shaped for place, shaped in enumerate(dict.fromkeys(wrong[:3]), 1)}


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"
