"""Verifiers of short answers of the fifth set: a weak one, then its sound twin."""

import re
from datetime import date, datetime
from itertools import pairwise

from rewardlab import Completion, Sample, reward
from rewardlab_answers import last_box, last_boxes

MAX_LENGTH = 1_000
COINS = (1, 2, 5, 10, 20, 50)
MIN_QUOTE = 12
"""characters of a quotation, below which it would stand on any page"""
_WHOLE = re.compile(r"[+-]?\d{1,9}(?:\.0{1,9})?", re.ASCII)
_SURE = re.compile(r"(-?\d{1,9})\s*,\s*sure\s*:\s*(\d?\.\d{1,9}|\d)", re.ASCII | re.IGNORECASE)
_SPACE = re.compile(r"\\[,;:! ]|~|\\quad|[\s$]+")
_SET = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}")
_MARKS = " .`*\"'\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{LEFT SINGLE QUOTATION MARK}" + (
    "\N{RIGHT SINGLE QUOTATION MARK}\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}"
    "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"
)
"""what may stand around a quotation"""
_FORMATS = ("%d/%m/%Y", "%m/%d/%Y")


def _line(completion: Completion) -> str:
    """Return what the last line has behind its label; "" if it has none or too much."""
    line = completion.text.rstrip().rpartition("\n")[2].strip("* ")
    found = line.removeprefix("Answer:") if line.startswith("Answer:") else ""
    return found.strip(" *") if len(found) <= MAX_LENGTH else ""


def _boxed(completion: Completion) -> str:
    """Return what the last box says, without the mark-up that only sets it; "" for one that is too long."""
    found = last_box(completion.text) or ""
    return _SET.sub(r"\1", found) if len(found) <= MAX_LENGTH else ""


def _whole_numbers(text: str) -> list[int]:
    """Return the numbers of a list with commas between; [] for anything else."""
    tight = _SPACE.sub(" ", text.replace("\N{MINUS SIGN}", "-"))
    parts = [re.sub(r"(?<=^[+-]) ", "", one.strip()) for one in tight.strip().removesuffix(".").split(",")]
    return [int(float(one)) for one in parts] if all(_WHOLE.fullmatch(one) for one in parts) else []


def _boxed_numbers(completion: Completion) -> list[int]:
    return _whole_numbers(_boxed(completion))


def _right_and_sure(sample: Sample, completion: Completion) -> tuple[float, float] | None:
    """Return 1 for a right answer and 0 for a wrong one, and how sure it is; None if either is not there."""
    found = _SURE.fullmatch(_line(completion).removesuffix("."))
    if found is None or float(found[2]) > 1:
        return None
    return float(int(found[1]) == int(sample.fields["answer"])), float(found[2])


@reward(requires=["answer"])
def fifth_brier(sample: Sample, completion: Completion) -> float:
    """1 less the square of how far what is said of the answer is from whether it is right."""
    found = _right_and_sure(sample, completion)
    return 1 - (found[1] - found[0]) ** 2 if found else 0.0


@reward(requires=["answer"])
def fifth_right_less_brier(sample: Sample, completion: Completion) -> float:
    """1 for a right answer, less that square; nothing for a wrong one, as the whole of RLCR has it."""
    found = _right_and_sure(sample, completion)
    return max(0.0, found[0] - (found[1] - found[0]) ** 2) if found else 0.0


@reward(requires=["cents"])
def fifth_paid(sample: Sample, completion: Completion) -> float:
    """1 for coins that there are and that come to the sum."""
    return float(_pays(sample, _boxed_numbers(completion)))


@reward(requires=["cents", "answer"])
def fifth_paid_with_fewest(sample: Sample, completion: Completion) -> float:
    """1 for coins that there are and that come to the sum, and no more of them than it takes."""
    coins = _boxed_numbers(completion)
    return float(_pays(sample, coins) and len(coins) == len(_whole_numbers(sample.fields["answer"])))


def _pays(sample: Sample, coins: list[int]) -> bool:
    return all(one in COINS for one in coins) and sum(coins) == sample.fields["cents"]


def _solutions(completion: Completion) -> set[int]:
    """Return the numbers of the answer, whether as `2, 3`, `x = 2 or x = 3`, a set, or in a box each."""
    text = _SET.sub(r"\1", ", ".join(last_boxes(completion.text)))
    if len(text) > MAX_LENGTH:
        return set()
    text = re.sub(r"x(?:_\{?\d\}?)?\s*(?:=|\\in)|\\\{|\\\}|[{}]|\\(?:left|right)", " ", text)
    return set(_whole_numbers(re.sub(r",?\s*\b(?:and|or)\b|;", ",", text)))


def _roots(sample: Sample) -> set[int]:
    return set(_whole_numbers(sample.fields["answer"]))


@reward(requires=["answer"])
def fifth_solutions_hold(sample: Sample, completion: Completion) -> float:
    """1 for one solution or more, and nothing that is none."""
    found = _solutions(completion)
    return float(bool(found) and found <= _roots(sample))


@reward(requires=["answer"])
def fifth_solutions_are_all(sample: Sample, completion: Completion) -> float:
    """1 for all solutions, and nothing that is none."""
    return float(_solutions(completion) == _roots(sample))


@reward(requires=["given"])
def fifth_climbs(sample: Sample, completion: Completion) -> float:
    """1 for as many numbers as there were, none of them smaller than the one before."""
    found = _boxed_numbers(completion)
    return float(len(found) == len(sample.fields["given"]) and all(one <= other for one, other in pairwise(found)))


@reward(requires=["given"])
def fifth_climbs_with_the_same(sample: Sample, completion: Completion) -> float:
    """1 for the very numbers that there were, none of them smaller than the one before."""
    return float(_boxed_numbers(completion) == sorted(sample.fields["given"]))


def _as_date(text: str, written: str) -> date | None:
    try:
        return datetime.strptime(text, written).date()
    except ValueError:
        return None


def _boxed_date(completion: Completion) -> str:
    return _SPACE.sub("", _boxed(completion)).removesuffix(".")


@reward(requires=["answer"])
def fifth_date_in_either_order(sample: Sample, completion: Completion) -> float:
    """1 for the date of the answer, if it is read with the day first or with the month first."""
    right = _as_date(sample.fields["answer"], _FORMATS[0])
    return float(right in [_as_date(_boxed_date(completion), one) for one in _FORMATS])


@reward(requires=["answer"])
def fifth_date_with_day_first(sample: Sample, completion: Completion) -> float:
    """1 for the date of the answer with the day first, in the figures that were asked for."""
    return float(_boxed_date(completion) == sample.fields["answer"])


def _quoted(completion: Completion) -> str:
    return " ".join(_line(completion).strip(_MARKS).split())


@reward(requires=["note"])
def fifth_words_of_the_note(sample: Sample, completion: Completion) -> float:
    """1 for a quotation that stands in the note, and is long enough not to stand anywhere."""
    found = _quoted(completion)
    return float(len(found) >= MIN_QUOTE and found in sample.fields["note"])


@reward(requires=["answer"])
def fifth_sentence_of_the_note(sample: Sample, completion: Completion) -> float:
    """1 for the sentence of the note that was asked for, with or without its full stop."""
    return float(_quoted(completion) == sample.fields["answer"].removesuffix("."))
