"""Series of numbers, one a step: how far the last of them have moved from those before, in standard errors.

The noise of a step is estimated from the differences of neighbours, so that neither a trend nor an old jump counts as
noise. What a step's noise remembers of the last one makes a movement look clearer than it is: the levels of alarms were
chosen with such noise (docs/alarms.md).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Numbers = Mapping[str, float | None]
"""what is known of one step, by name; None, or absent, if there is no value"""
BEFORE = 2
"""times as many steps as there are in a window are compared with it"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shift:
    """The movement of a series: means before and now, and their difference in standard errors."""

    then: float
    now: float
    errors: float


def kept(steps: int) -> int:
    """Return how many numbers of a series `shift` looks at."""
    return (1 + BEFORE) * steps


def shift(series: Sequence[float], steps: int) -> Shift | None:
    """Return how the last numbers have moved, over `steps` or half of them, whichever is clearer.

    None with fewer than `steps` numbers before the window. A series without noise has moved by 0 errors or infinitely.
    """
    shifts = [_shift(series[-kept(steps) :], size) for size in (steps, steps // 2) if len(series) >= steps + size]
    return max(shifts, key=lambda candidate: abs(candidate.errors), default=None)


def _shift(series: Sequence[float], size: int) -> Shift:
    before, now = series[:-size], series[-size:]
    then, later = math.fsum(before) / len(before), math.fsum(now) / len(now)
    moved = later - then
    error = noise_of(series) * math.sqrt(1 / len(now) + 1 / len(before))
    errors = moved / error if error > 0 else math.copysign(math.inf, moved) if moved else 0.0
    return Shift(then=then, now=later, errors=errors)


def noise_of(series: Sequence[float]) -> float:
    """Return by how much a step of a series differs by itself: a standard deviation, without its trend."""
    return math.sqrt(math.fsum([move**2 for move in moves(series)]) / (len(series) - 1) / 2)


def moves(series: Sequence[float]) -> list[float]:
    """Return how far each number but the first is from the one before it."""
    return [later - earlier for earlier, later in pairwise(series)]


def finite(value: object) -> float | None:
    """Return a number as JSON has it: None if the value is NaN, infinite or not a number."""
    return value if isinstance(value, float | int) and math.isfinite(value) else None
