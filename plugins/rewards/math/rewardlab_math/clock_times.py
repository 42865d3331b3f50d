r"""Read times of day: `7:30 \text{ p.m.}`, `19:30`, `7 PM`, `19h30`, `19.30 Uhr`, `下午7:30`, `noon`.

A colon between one or two digits and two digits is a time, or a ratio as it is written: `5:10` is not `10:20`. The half
of the day counts where both say it: `7:30 a.m.` is not `7:30 p.m.`, and `7:30` may be either. `19:30` is `7:30 p.m.`
"""

import re
from dataclasses import dataclass
from typing import Literal

from rewardlab_math.wording import without_text_groups

Half = Literal["am", "pm"]

MAX_LENGTH = 80
"""characters of the longest text that may be a time of day"""

_AM = (
    r"a\.? ?m\.?|in the morning|morgens|vormittags|du matin|de la mañana|da manhã|del mattino|di mattina|утра|pagi|sáng"
)
_PM = (
    r"p\.? ?m\.?|in the (?:afternoon|evening)|nachmittags|abends|de l'après-midi|du soir|de la (?:tarde|noche)"
    "|da (?:tarde|noite)|del pomeriggio|di sera|дня|вечера|sore|malam|chiều|tối"
)
_NOON = "noon|midday|mittag|midi|mediodía|meio-dia|mezzogiorno|полдень|正午|中午|정오"
_MIDNIGHT = "midnight|mitternacht|minuit|medianoche|meia-noite|mezzanotte|полночь|午夜|真夜中|자정"
_NAMED = re.compile(rf"(?:12(?::00)? ?)?(?:(?P<noon>{_NOON})|(?P<midnight>{_MIDNIGHT}))")
_BEFORE = re.compile(r"(?:(?P<am>午前|上午|早上|凌晨|오전)|(?P<pm>午後|下午|晚上|오후)) ?")
HALF = re.compile(rf"(?<![^\W\d_]) ?(?:(?P<am>{_AM})|(?P<pm>{_PM}))(?![^\W\d_])\.?")
_TIME = re.compile(
    r"(?:(?:at|um|à|alle|a las|às|в|pukul|jam) )?(?P<hour>\d{1,2})"
    r"(?: ?(?:(?P<point>\.)|(?P<colon>:)|h|uhr|[時时点點시]) ?(?P<minute>\d\d)(?::(?P<second>\d\d))?[分분]?)?"
    r"(?P<hours> ?(?:uhr|o'clock|[時时시]))?(?P<words>(?: [^\W\d_]{2,}){0,4})"
)
_MARKS = re.compile(r"\\colon(?![A-Za-z])|[{}$]")
_LOOSE_COLON = re.compile(r" ?: ?")


@dataclass(frozen=True, kw_only=True, slots=True)
class ClockTime:
    """A time of day as written. Without minutes it is a whole hour.

    Args:
        half: of the day, None if the text does not say.
        words: what else stands behind it, a day or a time zone.
    """

    hour: int
    minute: int | None = None
    second: int = 0
    half: Half | None = None
    words: str = ""

    @property
    def may_be_number(self) -> bool:
        """Whether the text may mean a ratio, 7:30, or the number of an hour, 7 p.m."""
        return self.half is None or self.minute is None

    def equals(self, other: "ClockTime") -> bool:
        """Return whether both are one time of day, as far as they say."""
        if (self.minute or 0, self.second) != (other.minute or 0, other.second):
            return False
        if self.words and other.words and self.words != other.words:
            return False
        if self.half is None and other.half is None:
            return self.hour == other.hour
        return not self._hours().isdisjoint(other._hours())

    def _hours(self) -> set[int]:
        """Return the hours of the day, 0 to 23, that the text may mean: 7 may be 19, and 12 is noon."""
        if self.half and self.hour <= 12:
            return {self.hour % 12 + (12 if self.half == "pm" else 0)}
        if (self.hour, self.minute or 0) == (24, 0):
            return {0}
        return {self.hour, self.hour + 12} if 1 <= self.hour <= 11 else {self.hour}


def read(text: str) -> ClockTime | None:
    """Return the time of day that a plain text (see `notation.plain`) is, and nothing but it; else None."""
    if len(text) > MAX_LENGTH:
        return None
    bare = _MARKS.sub(lambda mark: ":" if mark.group() == r"\colon" else "", without_text_groups(text))
    bare = _LOOSE_COLON.sub(":", " ".join(bare.casefold().split()))
    if named := _NAMED.fullmatch(bare):
        return ClockTime(hour=12, minute=0, half="pm" if named["noon"] else "am")
    half, bare = _half_of_day(bare)
    time = _TIME.fullmatch(bare)
    if time is None or (time["words"] and not (time["colon"] or half)):
        return None
    if not (half or time["hours"] or (time["minute"] and not time["point"])):
        return None  # 7.30 and 7 are numbers
    minute = int(time["minute"]) if time["minute"] else None
    second = int(time["second"] or 0)
    return ClockTime(hour=int(time["hour"]), minute=minute, second=second, half=half, words=time["words"].strip())


def _half_of_day(text: str) -> tuple[Half | None, str]:
    """Return the half of the day that a text says, and the text without it."""
    mark = _BEFORE.match(text) or HALF.search(text)
    if mark is None:
        return None, text
    rest = f"{text[: mark.start()]} {text[mark.end() :]}"
    return "am" if mark["am"] else "pm", " ".join(rest.split())
