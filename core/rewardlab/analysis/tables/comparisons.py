"""Paired comparisons of two models: the difference at each place, its p-value corrected for their number, in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rewardlab.analysis.tables.averages import Average
from rewardlab.analysis.tables.layout import OVERALL, Place
from rewardlab.analysis.tables.resampling import holm

LEVEL = 0.05
"""of a corrected p-value, below which a difference counts"""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How much more `model` has than `against` at a place of the table. p: two-sided; corrected: by Holm's method."""

    measure: str
    model: str
    against: str
    place: Place
    difference: Average
    p: float
    corrected: float = 1.0

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `not distinguishable`, of `model`."""
        if self.corrected >= LEVEL:
            return "not distinguishable"
        return "better" if self.difference.mean > 0 else "worse"


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons of one measure with corrected p-values.

    A family are the places of one sort (overall, tasks, languages, languages of tasks) of all pairs of models.
    """
    families: dict[tuple[bool, bool], list[int]] = {}
    for index, comparison in enumerate(comparisons):
        task, language = comparison.place
        families.setdefault((task is None, language is None), []).append(index)
    found = list(comparisons)
    for family in families.values():
        for index, p in zip(family, holm([comparisons[index].p for index in family]), strict=True):
            found[index] = replace(comparisons[index], corrected=p)
    return found


def sentences(comparisons: Iterable[Comparison], scale: float, digits: int) -> list[str]:
    """Return a sentence for each measure and pair of models."""
    pairs: dict[tuple[str, str, str], list[Comparison]] = {}
    for comparison in comparisons:
        pairs.setdefault((comparison.measure, comparison.model, comparison.against), []).append(comparison)
    return [_sentence(found, scale, digits) for found in pairs.values()]


def _sentence(found: Sequence[Comparison], scale: float, digits: int) -> str:
    first = found[0]
    overall = next(c for c in found if c.place == OVERALL)
    d = overall.difference
    low, high = (f"{(value or 0.0) * scale:+.{digits}f}" for value in (d.low, d.high))
    whole = f"overall {d.mean * scale:+.{digits}f} [{low}, {high}], {told_p(overall.corrected)}"
    whole += "" if overall.verdict != "not distinguishable" else ": not distinguishable"
    languages = [c for c in found if c.place.task is None and c.place.language]
    if len(languages) < 2:
        return f"{first.measure}: {first.model} against {first.against}: {whole}"
    return f"{first.measure}: {first.model} is {_counted(languages, first.against)}; {whole}"


def _counted(languages: Sequence[Comparison], against: str) -> str:
    named = {
        verdict: [str(c.place.language) for c in languages if c.verdict == verdict]
        for verdict in ("better", "worse", "not distinguishable")
    }
    text = f"better than {against} in {len(named['better'])} of {len(languages)} languages"
    for verdict in ("worse", "not distinguishable"):
        if named[verdict]:
            text += f"; {len(named[verdict])} {verdict} ({', '.join(named[verdict])})"
    return text


def told_p(p: float) -> str:
    """Return a p-value as people read it."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
