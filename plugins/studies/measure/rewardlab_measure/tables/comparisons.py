"""Paired comparisons of two models: the difference at each place, its p-value corrected for their number, in words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rewardlab_measure.tables.averages import TableAverage
from rewardlab_measure.tables.layout import OVERALL, TablePlace

LEVEL = 0.05
"""of a corrected p-value, below which a difference counts"""
Verdict = Literal["better", "worse", "not distinguishable", "too few prompts", "not tested"]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The lead of `model` over `against` at a place of the table.

    Args:
        p: two-sided; None if averages were printed, which cannot be tested.
        corrected: by Holm's method, for `family` comparisons.
        floor: the smallest p-value that so few prompts, or clusters of prompts, can have.
    """

    measure: str
    model: str
    against: str
    place: TablePlace
    difference: TableAverage
    p: float | None = None
    corrected: float | None = None
    floor: float = 0.0
    family: int = 1

    @property
    def verdict(self) -> Verdict:
        """The verdict on `model`; `too few prompts` if no difference whatever could have counted."""
        if self.corrected is None:
            return "not tested"
        if self.corrected < LEVEL:
            return "better" if self.difference.mean > 0 else "worse"
        return "too few prompts" if self.floor * self.family >= LEVEL else "not distinguishable"


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons of one measure with corrected p-values.

    A family are the places of one sort (overall, tasks, languages, languages of tasks) of all pairs of models.
    """
    families: dict[tuple[bool, bool], list[int]] = {}
    for index, comparison in enumerate(comparisons):
        if comparison.p is not None:
            task, language = comparison.place
            families.setdefault((task is None, language is None), []).append(index)
    results = list(comparisons)
    for family in families.values():
        for index, p in zip(family, holm([results[index].p or 0.0 for index in family]), strict=True):
            results[index] = replace(comparisons[index], corrected=p, family=len(family))
    return results


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for their number by Holm's method (1979), in [0, 1] and in their order."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, least = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = least
    return corrected


def describe_too_few(comparisons: Iterable[Comparison]) -> list[str]:
    """Return how many comparisons have too few prompts for any verdict, in words."""
    untold = [c for c in comparisons if c.verdict == "too few prompts"]
    counts = Counter((c.measure, c.family) for c in untold)
    notes = []
    for (measure, family), count in counts.items():
        best = min(c.floor for c in untold if (c.measure, c.family) == (measure, family))
        notes.append(
            f"{measure}: {count} of {family} comparisons have too few prompts for a verdict: p can be no smaller than "
            f"{best:.2g}, and {family} times that is {LEVEL} or more; compare fewer models or places, or more prompts"
        )
    return notes


def sentences(comparisons: Iterable[Comparison], scale: float, digits: int) -> list[str]:
    """Return a sentence for each measure and pair of models."""
    pairs: dict[tuple[str, str, str], list[Comparison]] = {}
    for comparison in comparisons:
        pairs.setdefault((comparison.measure, comparison.model, comparison.against), []).append(comparison)
    return [_sentence(pair, scale, digits) for pair in pairs.values()]


def _sentence(comparisons: Sequence[Comparison], scale: float, digits: int) -> str:
    first = comparisons[0]
    whole = _describe_overall(comparisons, scale, digits)
    languages = [c for c in comparisons if c.place.task is None and c.place.language and c.verdict != "not tested"]
    if len(languages) < 2:
        return f"{first.measure}: {first.model} against {first.against}: {whole}"
    return f"{first.measure}: {first.model} is {_counted(languages, first.against)}; {whole}"


def _describe_overall(comparisons: Sequence[Comparison], scale: float, digits: int) -> str:
    overall = next(c for c in comparisons if c.place == OVERALL)
    d = overall.difference
    message = f"overall {d.mean * scale:+.{digits}f}"
    if d.low is not None and d.high is not None:
        message += f" [{d.low * scale:+.{digits}f}, {d.high * scale:+.{digits}f}]"
    if overall.corrected is None:
        return f"{message}, not tested, since averages that were printed have no prompts"
    message += f", {format_p(overall.corrected)}"
    return message if overall.verdict in ("better", "worse") else f"{message}: {overall.verdict}"


def _counted(languages: Sequence[Comparison], against: str) -> str:
    verdicts: tuple[Verdict, ...] = ("better", "worse", "not distinguishable", "too few prompts")
    named = {verdict: [str(c.place.language) for c in languages if c.verdict == verdict] for verdict in verdicts}
    text = f"better than {against} in {len(named['better'])} of {len(languages)} languages"
    for verdict in verdicts[1:]:
        if named[verdict]:
            verdict_text = f"with {verdict}" if verdict == "too few prompts" else verdict
            text += f"; {len(named[verdict])} {verdict_text} ({', '.join(named[verdict])})"
    return text


def format_p(p: float) -> str:
    """Return a p-value as people read it."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
