"""Measures that a table averages: a component's score, the share of completions that reach a threshold, or pass@k."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, isfinite

from rewardlab.errors import UserError

TOTAL = "total"
"""the name of a recipe's total, as a component"""
_FORM = re.compile(r"(?:(?P<name>[^=<>]+)=)?(?P<component>[^=<>]+?)\s*(?:>=\s*(?P<least>[0-9.eE+-]+))?")


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of a model's answers to one prompt.

    Args:
        component: whose scores.
        at_least: a threshold, where the share of completions that reach it is measured.
        k: of pass@k, where that is measured.
    """

    name: str
    component: str
    at_least: float | None = None
    k: int | None = None

    def of(self, scores: Sequence[float]) -> float:
        """Return the measure of a prompt's n scores, n > 0.

        The mean; or, with k, the unbiased estimate 1 - C(n - c, k) / C(n, k) of the chance that one of k completions
        is right, where c of n are (Chen et al. 2021). A ValueError if n < k, or where a score for pass@k is neither
        0 nor 1.
        """
        if self.at_least is not None:
            scores = [float(score >= self.at_least) for score in scores]
        if self.k is None:
            return sum(scores) / len(scores)
        return pass_at_k(scores, self.k)


def pass_at_k(scores: Sequence[float], k: int) -> float:
    """Return the unbiased estimate of pass@k from n scores of 0 or 1. A ValueError for other scores, and for n < k."""
    if len(scores) < k:
        raise ValueError(f"{len(scores)} completions are too few for pass@{k}")
    for score in scores:
        if score not in (0, 1):
            raise ValueError(f"a score of {score:g} is neither right nor wrong; give pass@{k} a threshold: NAME>=0.5")
    wrong = scores.count(0)
    return 1 - comb(wrong, k) / comb(len(scores), k)


def parse_measure(text: str) -> Measure:
    """Return the measure that COMPONENT, NAME=COMPONENT or NAME=COMPONENT>=NUMBER says, or raise a UserError."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise UserError("is not a measure; it is COMPONENT, NAME=COMPONENT or NAME=COMPONENT>=0.7", where=text)
    component = match["component"].strip()
    return Measure(
        name=(match["name"] or component).strip(), component=component, at_least=_number(match["least"], text)
    )


def _number(digits: str | None, text: str) -> float | None:
    if digits is None:
        return None
    try:
        number = float(digits)
    except ValueError:
        number = float("inf")
    if not isfinite(number):
        raise UserError(f"{digits} is not a number", where=text)
    return number


def with_pass_at(measures: Sequence[Measure], ks: Sequence[int]) -> list[Measure]:
    """Return the measures, and after them pass@k of the first one for each k."""
    first = measures[0]
    passed = [Measure(name=f"pass@{k}", component=first.component, at_least=first.at_least, k=k) for k in ks]
    return [*measures, *passed]
