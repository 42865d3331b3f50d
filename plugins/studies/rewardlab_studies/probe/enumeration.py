"""Answers that name every candidate, so that one of them is the right one."""

import re
from collections.abc import Sequence

from rewardlab_studies.probe.corruptions import LETTER, is_short

_INTEGER = re.compile(r"-?\d{1,12}")
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
