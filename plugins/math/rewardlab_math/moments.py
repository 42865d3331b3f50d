"""Read times of day and dates, which are compared as such and never as numbers with units."""

from rewardlab_math import clock_times, dates
from rewardlab_math.clock_times import ClockTime
from rewardlab_math.dates import Date

Moment = ClockTime | Date


def read(text: str) -> Moment | None:
    """Return the time of day or the date that a plain text is, and nothing but it; else None. Linear in the text."""
    return clock_times.read(text) or dates.read(text)


def equal(gold: Moment, answer: Moment) -> bool:
    """Return whether an answer is the time of day or the date that a right answer says."""
    if isinstance(gold, ClockTime):
        return isinstance(answer, ClockTime) and answer.equals(gold)
    return isinstance(answer, Date) and answer.equals(gold)


def may_be_number(gold: Moment | None, answer: Moment | None) -> bool:
    """Return whether a right answer and an answer may be compared as numbers or formulas, too.

    Not if both are moments. A time without its half of the day may be a ratio, `7 p.m.` the number 7, and `5 May` may
    answer which day of May.
    """
    if gold is None or answer is None:
        one = gold or answer
        if isinstance(one, ClockTime):
            return one.may_be_number
        return one is None or (gold is None and one.year is None)
    return False
