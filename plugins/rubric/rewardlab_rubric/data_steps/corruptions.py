"""Wrong answers that need no model: what BBH's tasks without options get in place of their right answer.

Each function returns another answer than the one that it is given, drawn by `draw` alone, or raises ValueError where
there is none. Source: R3 (Anugraha et al. 2025), appendix H.
"""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

BRACKETS = "()[]{}<>"
TRIES = 64
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4})(?:\.[0-9]{1,9})?")
"""a number small enough that decimal arithmetic is exact"""

_WORD = re.compile(r"\w+(?:[-'’ ]\w+)*")
"""an item of a list of words: a sentence with its marks in other places would be no wrong answer, but none"""


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """How far wrong numbers are off: a normal distribution of this deviation, around the right one or around `mean`."""

    deviation: float
    mean: float | None = None


def corrupt_brackets(answer: str, question: str, draw: random.Random, numbers: Numbers | None = None) -> str:
    """Delete a bracket, swap two different ones, or insert one that question or answer have; each as likely.

    For answers that close a sequence of brackets (Dyck languages): there is only one right answer to each question.
    """
    marks = answer.split() if " " in answer.strip() else list(answer.strip())
    known = [mark for mark in BRACKETS if mark in question or mark in answer]
    pairs = [(a, b) for a, b in combinations(range(len(marks)), 2) if marks[a] != marks[b]]
    ways = ["delete"] * (len(marks) > 1) + ["swap"] * bool(pairs) + ["insert"] * bool(known)
    if not marks or not ways:
        raise ValueError(f"no brackets in {answer[:40]!r}")
    way = draw.choice(ways)
    if way == "delete":
        del marks[draw.randrange(len(marks))]
    elif way == "swap":
        a, b = draw.choice(pairs)
        marks[a], marks[b] = marks[b], marks[a]
    else:
        marks.insert(draw.randrange(len(marks) + 1), draw.choice(known))
    return (" " if " " in answer.strip() else "").join(marks)


def corrupt_words(answer: str, question: str, draw: random.Random, numbers: Numbers | None = None) -> str:
    """Swap two different words of an answer that has them in order, with commas or without."""
    comma = ", " if "," in answer else " "
    words = [word.strip() for word in answer.split(",")] if "," in answer else answer.split()
    pairs = [(a, b) for a, b in combinations(range(len(words)), 2) if words[a] != words[b]]
    if not pairs or not all(map(_WORD.fullmatch, words)):
        raise ValueError(f"no list of words, two of them to swap: {answer[:40]!r}")
    a, b = draw.choice(pairs)
    words[a], words[b] = words[b], words[a]
    return comma.join(words)


def corrupt_number(answer: str, question: str, draw: random.Random, numbers: Numbers | None = None) -> str:
    """Return another number with as many decimals."""
    return _other_number(answer, draw, numbers, lowest=None)


def corrupt_count(answer: str, question: str, draw: random.Random, numbers: Numbers | None = None) -> str:
    """Return another number with as many decimals, not below 0."""
    return _other_number(answer, draw, numbers, lowest=Decimal(0))


Corrupt = Callable[[str, str, random.Random, Numbers | None], str]
CORRUPTIONS: Mapping[str, Corrupt] = {
    "brackets": corrupt_brackets,
    "words": corrupt_words,
    "number": corrupt_number,
    "count": corrupt_count,
}


def number_in(text: str) -> Decimal | None:
    """Return the number that a text is, with commas between thousands or without; None for any other text."""
    found = _NUMBER.fullmatch(text.strip())
    return None if found is None else Decimal(found[0].replace(",", ""))


def _other_number(answer: str, draw: random.Random, numbers: Numbers | None, lowest: Decimal | None) -> str:
    right = number_in(answer)
    if right is None:
        raise ValueError(f"{answer[:40]!r} is no number")
    if numbers is None:
        raise ValueError("how far wrong numbers are off is not said")
    unit = Decimal(1).scaleb(min(0, int(right.as_tuple().exponent)))
    middle = right if numbers.mean is None else Decimal(str(numbers.mean))
    for _ in range(TRIES):
        wrong = (middle + Decimal(str(draw.gauss(0.0, numbers.deviation)))).quantize(unit)
        if wrong != right and (lowest is None or wrong >= lowest):
            return f"{wrong:f}"
    return f"{right + unit:f}"  # of a deviation far below a unit
