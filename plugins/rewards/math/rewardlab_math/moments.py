"""Read times of day and dates, which are compared as such and never as numbers with units."""

import re

from rewardlab_math import clock_times, dates
from rewardlab_math.clock_times import ClockTime
from rewardlab_math.dates import Date
from rewardlab_math.systems import split
from rewardlab_math.wording import with_commas

Moments = tuple[ClockTime | Date, ...]
"""Times of day or dates, of a list in any order; none for a text that is anything else."""

MAX_MOMENTS = 8
_NAME = re.compile(r"[A-Za-z] ?= ?")


def read(text: str) -> Moments:
    """Return the times of day or dates that a plain text (see `notation.plain`) is, and nothing but them."""
    named = _NAME.match(text)
    text = text[named.end() :] if named else text
    if moment := _read_one(text):
        return (moment,)
    parts = split(with_commas(text)) if len(text) <= MAX_MOMENTS * clock_times.MAX_LENGTH else []
    moments = [_read_one(part) for part in parts[: MAX_MOMENTS + 1] if part.strip()]
    return tuple(filter(None, moments)) if all(moments) and len(moments) <= MAX_MOMENTS else ()


def _read_one(text: str) -> ClockTime | Date | None:
    return clock_times.read(text) or dates.read(text)


def equal(golds: Moments, answers: Moments) -> bool:
    """Return whether an answer is the times of day or the dates that a right answer says."""
    rest = list(answers)
    for gold in golds:
        place = next((place for place, answer in enumerate(rest) if _equal_one(gold, answer)), None)
        if place is None:
            return False
        del rest[place]
    return not rest


def _equal_one(gold: ClockTime | Date, answer: ClockTime | Date) -> bool:
    if isinstance(gold, ClockTime):
        return isinstance(answer, ClockTime) and answer.equals(gold)
    return isinstance(answer, Date) and answer.equals(gold)


def may_be_numbers(golds: Moments, answers: Moments) -> bool:
    """Return whether a right answer and an answer may be compared as numbers or formulas, too.

    Not if both are moments. A time without its half of the day may be a ratio, and `5 May` may answer which day of May.
    """
    if golds and answers:
        return False
    return all(
        moment.may_be_number if isinstance(moment, ClockTime) else bool(answers) and moment.year is None
        for moment in (*golds, *answers)
    )
