r"""Read dates: `5 May`, `May 5th, 2020`, `5. Mai`, `le 5 mai`, `2020-05-06`, `6.5.2020`, `2020年5月6日`.

Months are no units: `5 May` is not `5 June`, nor 5. A date without a year or a day of the week leaves it open. Two
numbers before a year, `5/6/2020`, are a day and a month in one of two orders: such a date equals another only where it
can mean one day, or is written as the other.
"""

import re
from dataclasses import dataclass

from rewardlab_math.wording import without_text_groups

MAX_LENGTH = 80
"""characters of the longest text that may be a date"""

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari maret april mei juni juli agustus september oktober november desember
januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর
"""
_MONTH = {name: number for row in _MONTHS.split("\n") for number, name in enumerate(row.split(), 1)} | {"sept": 9}
_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
"""
_WEEKDAY = {name: number for row in _WEEKDAYS.split("\n") for number, name in enumerate(row.split(), 1)}
_FILLERS = frozenset(
    ["the", "of", "on", "den", "der", "le", "el", "de", "del", "di", "do", "tanggal", "год", "года", "г"]
)
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|º|ª)?")
_YEAR = re.compile(r"\d{4}")
_TOKEN = re.compile(r"[^\s,.]+")
_YEAR_FIRST = re.compile(r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})")
_YEAR_LAST = re.compile(r"(?P<one>\d{1,2})(?P<mark>[-/.])(?P<two>\d{1,2})(?P=mark)(?P<year>\d{4})")
_SIGNS = re.compile(
    r"(?:(?P<year>\d{4})\s*[年년]\s*)?(?P<month>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*[日号號일]"
    r"|(?:ngày )?(?P<vi_day>\d{1,2}) tháng (?P<vi_month>\d{1,2})(?: năm (?P<vi_year>\d{4}))?"
)
_MARKS = re.compile(r"\^(?=\{?(?:st|nd|rd|th)(?![a-z]))|[{}$]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Date:
    """A date as far as it is written. swapped: whether day and month may be the other way round."""

    day: int | None
    month: int
    year: int | None = None
    weekday: int | None = None
    swapped: bool = False

    def equals(self, gold: "Date") -> bool:
        """Return whether this is the day that a right answer says; what that leaves open may be said here."""
        if self.swapped != gold.swapped and self.day != self.month:
            return False
        weekday_differs = self.weekday and gold.weekday and self.weekday != gold.weekday
        same = (self.day, self.month) == (gold.day, gold.month) and gold.year in (None, self.year)
        return same and not weekday_differs


def read(text: str) -> Date | None:
    """Return the date that a plain text (see `notation.plain`) is, and nothing but it; else None."""
    if len(text) > MAX_LENGTH:
        return None
    bare = " ".join(_MARKS.sub("", without_text_groups(text)).casefold().split())
    date = _in_numbers(bare) or _in_words(bare)
    valid = date and 1 <= date.month <= 12 and 1 <= (date.day or 1) <= 31
    return date if valid else None


def _in_numbers(text: str) -> Date | None:
    if first := _YEAR_FIRST.fullmatch(text):
        return Date(day=int(first["day"]), month=int(first["month"]), year=int(first["year"]))
    if signs := _SIGNS.fullmatch(text):
        day, month = signs["day"] or signs["vi_day"], signs["month"] or signs["vi_month"]
        year = signs["year"] or signs["vi_year"]
        return Date(day=int(day), month=int(month), year=int(year) if year else None)
    last = _YEAR_LAST.fullmatch(text)
    if last is None:
        return None
    first_number, two, year = int(last["one"]), int(last["two"]), int(last["year"])
    if two > 12:  # 5/13/2020
        return Date(day=two, month=first_number, year=year)
    return Date(day=first_number, month=two, year=year, swapped=last["mark"] != "." and first_number <= 12)


def _in_words(text: str) -> Date | None:
    """Return a date with the name of a month, and a day, a year, or both beside it."""
    day = month = year = weekday = None
    for token in _TOKEN.findall(text):
        number = _DAY.fullmatch(token)
        if token in _MONTH and month is None:
            month = _MONTH[token]
        elif token in _WEEKDAY and weekday is None:
            weekday = _WEEKDAY[token]
        elif number and day is None:
            day = int(number[1])
        elif _YEAR.fullmatch(token) and year is None:
            year = int(token)
        elif token not in _FILLERS:
            return None
    if month is None or (day is None and year is None):
        return None
    return Date(day=day, month=month, year=year, weekday=weekday)
