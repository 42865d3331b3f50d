"""The arguments of instructions: what each may be, and what is said of one that is not."""

from collections.abc import Callable, Mapping
from typing import Any

Argument = Callable[[Any], Any]
"""A reader of one argument: returns it as checks take it, or raises ValueError with what is needed."""

MAX = 1 << 53
RELATIONS = ("less than", "at least")


def whole(value: Any) -> int:
    """Return a whole number of 0 or more; one that was read as 3.0 is 3."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < MAX or value % 1:
        raise ValueError("a whole number of 0 or more is needed")
    return int(value)


def positive(value: Any) -> int:
    """Return a whole number of 1 or more."""
    number = whole(value)
    if not number:
        raise ValueError("a whole number of 1 or more is needed")
    return number


def percentage(value: Any) -> float:
    """Return a number from 0 to 100."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise ValueError("a number from 0 to 100 is needed")
    return float(value)


def text(value: Any) -> str:
    """Return a text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text is needed that is not blank")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """Return a list of texts that are not blank."""
    if isinstance(value, str) or not isinstance(value, list | tuple) or not value:
        raise ValueError("a list of texts is needed")
    return tuple(text(item) for item in value)


def letter(value: Any) -> str:
    """Return one character."""
    if not isinstance(value, str) or len(value.strip()) != 1:
        raise ValueError("one letter is needed")
    return value.strip()


def relation(value: Any) -> str:
    """Return one of RELATIONS."""
    if value not in RELATIONS:
        raise ValueError(f"one of {' and '.join(map(repr, RELATIONS))} is needed")
    return str(value)


def holds(count: int, relation: str, threshold: int) -> bool:
    """Return whether a count is less than a threshold, or at least as much, as the relation says."""
    return count < threshold if relation == RELATIONS[0] else count >= threshold


Arguments = Mapping[str, Argument]
