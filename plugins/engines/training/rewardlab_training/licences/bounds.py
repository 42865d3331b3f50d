"""The bounds of a judge's licence: which of them its measures keep, break, or leave undecided.

A bound is kept if the whole interval of a measure keeps it, and broken if the whole interval breaks it. Between them,
the number of labels that would decide follows from the distance to the bound, since intervals shrink by the root of it.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from rewardlab import Config
from rewardlab.recipe import JudgeUse

LEVEL = 0.98
"""of the intervals. A judge that is at its bound is licensed in at most 5% of cases also if it is measured ten times
while labels grow to MAX_LABELS, for which a one-sided test at 5% needs these (Pocock 1977, ten looks: 2.27 standard
errors in place of 1.64). All bounds must be kept, of each value of `by`, which needs no correction for their number
(an intersection-union test, Berger 1982)."""
MAX_LABELS = 200
"""labels that a licence asks for at most"""
FIRST_LABELS = 10
"""labels of a value of `by` before anything is said of it"""
EVERY = "all"
"""the name of the measures of all rows"""
MEASURES = {
    "min_accuracy": "accuracy",
    "min_kappa": "kappa",
    "max_position_bias": "position_bias",
    "max_flip_rate": "flip_rate",
}
"""bound: what it is about"""


class Measured(Config):
    """A measure with its interval, and of how many labels of different problems it is."""

    value: float
    low: float | None = None
    high: float | None = None
    labels: int


@dataclass(frozen=True, kw_only=True)
class BoundState:
    """A bound as its measure leaves it.

    Args:
        of: the value of `by` whose rows were measured, or EVERY.
        measured: None if nothing measures it: no comparison, or no label of this value.
        more: how many further labels would decide, if the measure stays as it is; None if that is not known.
    """

    bound: str
    limit: float
    of: str
    measured: Measured | None
    state: Literal["kept", "broken", "undecided"]
    more: int | None = None

    @property
    def is_measured(self) -> bool:
        """Whether there are labels enough for an interval."""
        return self.measured is not None and self.measured.low is not None

    @property
    def looks_broken(self) -> bool:
        """Whether the measure itself, without its interval, is beyond the bound."""
        least, most = _allowed(self.bound, self.limit)
        return self.measured is not None and not least <= self.measured.value <= most

    def __str__(self) -> str:
        where = "" if self.of == EVERY else f" of {self.of}"
        name = MEASURES[self.bound].replace("_", " ")
        if self.measured is None:
            return f"{name}{where} is not known"
        between = "" if self.measured.low is None else f" ({self.measured.low:.2f} to {self.measured.high:.2f})"
        side = {"kept": "keeps", "broken": "breaks", "undecided": "does not decide"}[self.state]
        return f"{name}{where} {self.measured.value:.2f}{between} {side} {self.bound} {self.limit:g}"


def bound_states(use: JudgeUse, measures: Mapping[str, Mapping[str, Measured]]) -> list[BoundState]:
    """Return each bound that a judge's `require` sets, of each value of `by`; measures: by value, then by name.

    A bound from above is left out if no value has its measure: a judge that sees one answer at a time has no position
    bias. One from below is not: a judge that gives all answers the same has no kappa, and keeps none.
    """
    known = {name for of_value in measures.values() for name in of_value}
    return [
        _state(bound, limit, of, of_value.get(MEASURES[bound]))
        for of, of_value in measures.items()
        for bound, limit in limits(use)
        if MEASURES[bound] in known or bound.startswith("min_")
    ]


def limits(use: JudgeUse) -> Iterator[tuple[str, float]]:
    """Yield the bounds that a judge's `require` sets."""
    for bound in MEASURES:
        if (limit := getattr(use.require, bound, None)) is not None:
            yield bound, limit


def _state(bound: str, limit: float, of: str, measured: Measured | None) -> BoundState:
    state: Literal["kept", "broken", "undecided"] = "undecided"
    more: int | None = max(1, FIRST_LABELS - (0 if measured is None else measured.labels))
    if measured is not None and measured.low is not None and measured.high is not None:
        least, most = _allowed(bound, limit)
        if least <= measured.low and measured.high <= most:
            state, more = "kept", None
        elif measured.high < least or measured.low > most:
            state, more = "broken", None
        else:
            more = _more(measured.value, measured.low, measured.high, measured.labels, (least, most))
    return BoundState(bound=bound, limit=limit, of=of, measured=measured, state=state, more=more)


def _allowed(bound: str, limit: float) -> tuple[float, float]:
    if bound == "max_position_bias":
        return -limit, limit
    return (limit, math.inf) if bound.startswith("min_") else (-math.inf, limit)


def _more(value: float, low: float, high: float, labels: int, allowed: tuple[float, float]) -> int | None:
    """Return how many further labels leave the interval on one side of the bound, if the value stays."""
    least, most = allowed
    outside = [(least - value, high - value)] * (value < least) + [(value - most, value - low)] * (value > most)
    inside = [(value - least, value - low), (most - value, high - value)]
    power = 1 if value in (-1, 0, 1) else 2  # what never or always happens has an interval that shrinks by their number
    needed = [
        math.inf if not distance else labels * (half / distance) ** power
        for distance, half in outside or inside
        if math.isfinite(distance)
    ]
    whole = max(needed)
    return max(1, math.ceil(whole) - labels) if math.isfinite(whole) else None
