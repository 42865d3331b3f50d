"""Wrong answers that are made of the right one: next to it, with its digits, or in a list that has it."""

import re
from collections.abc import Sequence

from rewardlab_studies.probe.corruptions import LETTER, is_short

_INTEGER = re.compile(r"-?\d{1,12}")
_FORMULA = re.compile(r"[\d\s.()+*/-]{3,200}")
_OTHER = {"+": "-", "-": "+", "*": "-"}
_DECIMAL = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")
NEAR = 5
"""Integers below and above the right one."""
PRINTED = [str(number) for number in range(-20, 1001)]
"""What a program prints that tries every number."""


def candidates(answer: str, others: Sequence[str]) -> list[str]:
    """Return candidates with the answer among them: letters, nearby numbers, or the short answers of other rows.

    Empty if there is nothing to choose from.
    """
    if LETTER.fullmatch(answer):
        return list("ABCD") if answer.strip("().") in "ABCD" else list("ABCDEFGHIJ")
    if _INTEGER.fullmatch(answer):
        return [str(int(answer) + offset) for offset in range(-NEAR, NEAR + 1)]
    if not is_short(answer):
        return []
    found = sorted({answer, *(other for other in others if is_short(other))})
    return found if len(found) > 1 else []


def not_a_number(answer: str) -> str | None:
    """Return what every comparison with a number says no to; None if the answer is no number."""
    return "nan" if _DECIMAL.fullmatch(answer) else None


def near_miss(answer: str) -> str | None:
    """Return a whole number that ends as the answer does, or the formula with one other operator; None for others."""
    if _INTEGER.fullmatch(answer):
        first = next(place for place, character in enumerate(answer) if character.isdigit())
        return f"{answer[:first]}{int(answer[first]) % 9 + 1}{answer[first + 1 :]}"
    operators = [place for place, character in enumerate(answer) if place and character in _OTHER]
    if not operators or not _FORMULA.fullmatch(answer):
        return None
    place = next((one for one in reversed(operators) if answer[one] != "*"), operators[-1])
    return f"{answer[:place]}{_OTHER[answer[place]]}{answer[place + 1 :]}"


def reversed_digits(answer: str) -> str | None:
    """Return the whole number with its digits in reverse; None if that is the same, or the answer is no such number."""
    if not _INTEGER.fullmatch(answer):
        return None
    digits = answer.lstrip("-")
    return None if digits == digits[::-1] else answer[: len(answer) - len(digits)] + digits[::-1]


def same_number(one: str, answer: str) -> bool:
    """Return whether an answer is this number, in whatever form."""
    return _DECIMAL.fullmatch(answer) is not None and float(one) == float(answer)
