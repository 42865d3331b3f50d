"""The attribution of one scored group's rewards to its components, worked out once, when it is first asked for."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rewardlab.scoring.decomposition import Decomposition, TotalParts, mean

ROUNDING = 1e-12
"""Totals that differ by less than this share of the largest part are equal but for rounding."""
SAME = 1e-10
"""Rests that differ by less than this share of the largest contribution are the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contributions:
    """The contributions of each component: they and the rest add up to the shaped rewards.

    by_name: name -> G contributions; rest: G numbers, what no component contributed.
    """

    by_name: dict[str, list[float]]
    rest: list[float]


def contributions_to_totals(parts: TotalParts, count: int) -> Contributions:
    """Return the parts as they are: the contributions to `count` rewards that nothing normalizes."""
    return Contributions(by_name={name: [*part] for name, part in parts.by_name.items()}, rest=[parts.constant] * count)


def contributions_to_shaped(
    parts: TotalParts, shaped: Sequence[float], kept: Sequence[int], slope: float
) -> Contributions:
    """Return the contributions to shaped rewards: slope * (a part - its mean over all n).

    kept: the places of the shaped rewards among the n parts, in their order. The rest is the same for all of them if
    they lie on a line of this slope, else what is left of each.
    """
    by_name = {}
    for name, values in parts.by_name.items():
        middle = mean(values) if values else 0.0
        by_name[name] = [slope * (values[place] - middle) + 0.0 for place in kept]
    rest = [value - math.fsum(given) for value, *given in zip(shaped, *by_name.values(), strict=True)]
    rounding = SAME * max(abs(value) for column in (shaped, *by_name.values()) for value in column)
    if max(rest) - min(rest) <= rounding:
        middle = mean(rest)
        rest = [0.0 if abs(middle) <= rounding else middle] * len(rest)
    return Contributions(by_name=by_name, rest=rest)


def slope_of(totals: Sequence[float], shaped: Sequence[float], pool_mean: float, amount: float) -> float:
    """Return the slope of the line of least squares through (total, shaped).

    It is exact if the normalizer is a line in the group. It is 0 if the totals are equal but for rounding, unless
    they differ from `pool_mean`, the mean of a larger pool: then the line goes through (pool_mean, 0), as for every
    normalizer that centers, and all of ours do. amount: the largest part or total, by which rounding is measured.
    """
    least = ROUNDING * max(amount, *map(abs, totals))
    low, spread = min(totals), max(totals) - min(totals)
    if spread <= least:
        beside = mean(totals) - pool_mean
        return mean(shaped) / beside if abs(beside) > least else 0.0
    places = [(total - low) / spread for total in totals]
    middle, level = mean(places), mean(shaped)
    up = math.fsum((place - middle) * (value - level) for place, value in zip(places, shaped, strict=True))
    return up / math.fsum((place - middle) ** 2 for place in places) / spread


def largest_amount(parts: TotalParts, totals: Sequence[float]) -> float:
    """Return the largest absolute part or total, by which rounding is measured."""
    return max(
        (abs(value) for values in (*parts.by_name.values(), totals, (parts.constant,)) for value in values), default=0.0
    )


Column = Sequence[float | None]


@dataclass(frozen=True, kw_only=True)
class ScoredTotals:
    """The ingredients of a group's totals: P completions, of which G were kept.

    columns: name -> P values that the total saw, stand-ins included; None if it saw none, {} if the whole group
        got zero advantage. totals: P. decided: P; false if the total is not the expression's value (none, or 0 for a
        truncated completion). kept: G places; shaped: G; own: name -> G values that the component gave itself.
    parts: name -> P parts, if a normalizer made them of each component by itself; totals are their sums then.
    """

    decomposition: Decomposition
    columns: Mapping[str, Column]
    totals: Column
    decided: Sequence[bool]
    kept: Sequence[int]
    shaped: Sequence[float]
    own: Mapping[str, Column]
    normalized: bool
    parts: Mapping[str, Column] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Attribution:
    """The contribution of each component to the shaped rewards of G completions.

    contributions: name in the total -> G numbers; rest: G numbers; entries: name -> G entries of the ledger, without
    the contribution.
    """

    contributions: Mapping[str, Column]
    rest: Sequence[float]
    entries: Mapping[str, Sequence[Mapping[str, float]]]


class GroupAttribution:
    """The attribution of a group of G completions, worked out when it is first asked for; pickled with its result."""

    def __init__(self, seen: ScoredTotals | Attribution) -> None:
        self._seen = seen

    @cached_property
    def attribution(self) -> Attribution:
        """The attribution itself: contributions and rest, which add up to the shaped rewards."""
        return self._seen if isinstance(self._seen, Attribution) else _attribution(self._seen)

    def entry(self, name: str, index: int) -> dict[str, Any]:
        """Return the ledger's entry for one component of completion `index`; {} if the component is only logged.

        contribution: None if the total is not made of the components. weight, gate or counterfactual: how the total
        uses the name: its weight, its value as a gate, the mean that it is compared with. stand_in: what the total saw
        where the component gave no value.
        """
        if name not in self.attribution.contributions:
            return {}
        return {**self.attribution.entries[name][index], "contribution": self.attribution.contributions[name][index]}

    def __reduce__(self) -> tuple[Any, ...]:
        return GroupAttribution, (self.attribution,)


def _attribution(seen: ScoredTotals) -> Attribution:
    names = seen.decomposition.names
    decided = [place for place, known in enumerate(seen.decided) if known]
    columns = {name: seen.columns[name] for name in names if name in seen.columns}
    # this leaves no value out: a total is decided if all of them have one
    values = {name: [v for place in decided if (v := column[place]) is not None] for name, column in columns.items()}
    parts = seen.decomposition.parts(values) if decided else TotalParts(by_name={}, constant=0.0, means={})
    if seen.parts is not None and decided:
        by_name = {name: [column[place] or 0.0 for place in decided] for name, column in seen.parts.items()}
        parts = replace(parts, by_name=by_name, constant=0.0)
    ranks = {place: rank for rank, place in enumerate(decided)}
    indices = [index for index, place in enumerate(seen.kept) if place in ranks]
    given = _contributions(seen, parts, [ranks[seen.kept[index]] for index in indices], indices)
    contributions: dict[str, list[float | None]] = {name: [None] * len(seen.kept) for name in names}
    rest = list(seen.shaped)
    for at, index in enumerate(indices):
        rest[index] = given.rest[at]
        for name in names:
            contributions[name][index] = given.by_name[name][at]
    return Attribution(
        contributions=contributions, rest=rest, entries={name: _entries(seen, parts, name) for name in names}
    )


def _contributions(
    seen: ScoredTotals, parts: TotalParts, ranks: Sequence[int], indices: Sequence[int]
) -> Contributions:
    if not seen.normalized or not indices:
        by_name = {name: [values[rank] for rank in ranks] for name, values in parts.by_name.items()}
        return contributions_to_totals(TotalParts(by_name=by_name, constant=parts.constant, means={}), len(ranks))
    totals = [total for total, known in zip(seen.totals, seen.decided, strict=True) if known and total is not None]
    with_total = [(total, value) for total, value in _shaped_totals(seen) if total is not None]
    pool_mean = mean([total for total in seen.totals if total is not None])
    slope = slope_of([t for t, _ in with_total], [s for _, s in with_total], pool_mean, largest_amount(parts, totals))
    return contributions_to_shaped(parts, [seen.shaped[index] for index in indices], ranks, slope)


def _shaped_totals(seen: ScoredTotals) -> list[tuple[float | None, float]]:
    return [(seen.totals[place], value) for place, value in zip(seen.kept, seen.shaped, strict=True)]


def _entries(seen: ScoredTotals, parts: TotalParts, name: str) -> list[dict[str, float]]:
    """Return how the total uses the name, for each of the kept."""
    common: dict[str, float] = {}
    if name in seen.decomposition.weights:
        common["weight"] = seen.decomposition.weights[name]
    if name in parts.means:
        common["counterfactual"] = parts.means[name]
    entries = []
    for place, own in zip(seen.kept, seen.own[name], strict=True):
        entry, value = dict(common), seen.columns[name][place] if name in seen.columns else None
        if value is not None:
            entry |= {"gate": value} if name in seen.decomposition.gates else {}
            entry |= {"stand_in": value} if own is None else {}
        entries.append(entry)
    return entries
