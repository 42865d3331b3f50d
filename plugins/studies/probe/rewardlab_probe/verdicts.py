"""Verdicts: which degenerate completions win, and which component is to blame."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import stdev
from typing import Literal

from rewardlab.recipe import FAMILIES, Family
from rewardlab_measure.tables import student_quantile

from rewardlab_probe.families import MAY_TIE, SEARCHED
from rewardlab_probe.measure import CompletionResult, MeasuredRow

CHANCE = 0.05
"""How often a family that gains nothing may win by chance."""
MIN_OF_CHANCE = 0.5
"""The share of rows that is more than chance if scores vary."""
Left = Literal["loses", "ties", "wins"]


@dataclass(frozen=True, kw_only=True)
class WinRule:
    """The rule by which a degenerate completion wins.

    It wins a row if its total is at least the honest one's, less `tolerance`; a family that contains the honest
    completion (`MAY_TIE`) if its total is more than the honest one's, plus `tolerance`. It wins altogether if this is
    true of the mean totals of all rows, or in more than the share `most` of the rows.

    Args:
        noisy: whether the same text may get another total the next time, as from a judge that samples: then, and if it
            gains in some rows and loses in others, a family of `MAY_TIE` wins only if its mean gain is beyond what
            chance gives any of its variants in 5% of probes, and any other by its share of rows only if it wins more
            than half of them.
    """

    tolerance: float = 1e-6
    most: float = 0.25
    noisy: bool = False

    def wins(self, family: Family, difference: float) -> bool:
        """Return whether a total wins that differs from the honest one's by `difference`."""
        return difference > self.tolerance if family in MAY_TIE else difference >= -self.tolerance

    def wins_altogether(self, family: Family, differences: Sequence[float], variants: int = 1) -> bool:
        """Return whether totals win that differ from the honest ones' so in the rows. variants: of the family."""
        if not differences:
            return False
        by_mean = self.wins(family, _mean(differences))
        both_ways = min(differences) < -self.tolerance  # as of a model, which every change of a text moves
        if family in MAY_TIE and (self.noisy or both_ways):
            return by_mean and _mean(differences) > self.tolerance + _by_chance(differences, variants)
        most = max(self.most, MIN_OF_CHANCE) if self.noisy else self.most
        return by_mean or sum(self.wins(family, difference) for difference in differences) > most * len(differences)


def _by_chance(differences: Sequence[float], variants: int) -> float:
    """Return the mean that a difference of 0 exceeds by chance in 5% of probes, in any of so many variants."""
    if len(differences) < 2:
        return math.inf
    t = student_quantile(len(differences) - 1, tails=2 * CHANCE / variants)
    return t * stdev(differences) / math.sqrt(len(differences))


@dataclass(frozen=True, kw_only=True)
class Blame:
    """The component that gives a winner most of its lead: over all rows or, if it wins only in some, over those.

    Args:
        lead: mean of how far ahead the winner is.
        gain: mean of what its total loses if this component gives it the value of the honest completion: exact for
            a term of a sum, the whole product for a gate.
        left: how the mean total then compares with the honest one's.
    """

    component: str
    lead: float
    gain: float
    left: Left


@dataclass(frozen=True, kw_only=True)
class FamilyVerdict:
    """The verdict on a family over some rows; means are over the `rows` where it and the honest completion have totals.

    Args:
        won: rows in which it wins.
        unscored: rows where it has no total.
        fatal: those where that would end a run; `why` is the last cause.
        absent: reason -> rows that have no such completion.
        held_by: for a family that does not win, the components that alone prevent it: if one gave it the value of
            the honest completion, it would win.
        example: the id of the row where it is furthest ahead.
        variant: that of its completions which comes furthest, of which all is said.
        tried: how many variants there were.
    """

    family: Family
    rows: int
    variant: str = ""
    tried: int = 0
    total: float | None = None
    honest: float | None = None
    difference: float | None = None
    won: int = 0
    wins: bool = False
    blame: Blame | None = None
    held_by: Sequence[str] = ()
    example: str | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)
    unscored: int = 0
    fatal: int = 0
    why: str = ""
    absent: Mapping[str, int] = field(default_factory=dict)


Pair = tuple[MeasuredRow, CompletionResult]


def verdicts(rows: Sequence[MeasuredRow], rule: WinRule) -> list[FamilyVerdict]:
    """Return a verdict for each family, in their order. Rows whose honest completion has no total do not count."""
    counted = [row for row in rows if row.honest.total is not None]
    made = {family for row in counted for family, _ in row.degenerate}
    families = (family for family in FAMILIES if family not in SEARCHED or family in made)
    return [_verdict(family, counted, rule) for family in families]


def _verdict(family: Family, rows: Sequence[MeasuredRow], rule: WinRule) -> FamilyVerdict:
    """Return the verdict on a family: that on its variant which wins, or comes nearest to it."""
    made: dict[str, list[Pair]] = {}
    for row in rows:
        for (name, variant), outcome in row.degenerate.items():
            if name == family:
                made.setdefault(variant, []).append((row, outcome))
    absent = Counter(row.absent[family] for row in rows if row.first and family in row.absent)
    empty = FamilyVerdict(family=family, rows=0, tried=len(made), absent=dict(absent))
    verdicts = [_variant_verdict(replace(empty, variant=name), pairs, rule) for name, pairs in made.items()]
    return max(verdicts, key=_prominence, default=empty)


def _prominence(family_verdict: FamilyVerdict) -> tuple[bool, bool, float]:
    return (
        family_verdict.wins,
        family_verdict.fatal > 0,
        -math.inf if family_verdict.difference is None else family_verdict.difference,
    )


def _variant_verdict(empty: FamilyVerdict, made: Sequence[Pair], rule: WinRule) -> FamilyVerdict:
    family = empty.family
    unscored = [outcome for _, outcome in made if outcome.total is None]
    fatal, why = sum(outcome.fatal for outcome in unscored), unscored[-1].why if unscored else ""
    empty = replace(empty, unscored=len(unscored), fatal=fatal, why=why)
    pairs = [(row, outcome) for row, outcome in made if outcome.total is not None]
    if not pairs:
        return empty
    differences = [_ahead(row, outcome.total) for row, outcome in pairs]
    wins = rule.wins_altogether(family, differences, empty.tried)
    furthest = max(range(len(pairs)), key=differences.__getitem__)
    held_by = [name for name in pairs[0][1].instead if rule.wins_altogether(family, _without(name, pairs), empty.tried)]
    return replace(
        empty,
        rows=len(pairs),
        total=mean([outcome.total for _, outcome in pairs]),
        honest=mean([row.honest.total for row, _ in pairs]),
        difference=_mean(differences),
        won=sum(rule.wins(family, difference) for difference in differences),
        wins=wins,
        blame=_blame(_where_it_wins(family, pairs, rule), rule.tolerance) if wins else None,
        held_by=[] if wins else held_by,
        example=pairs[furthest][0].sample.id,
        values=means([outcome for _, outcome in pairs]),
    )


def _ahead(row: MeasuredRow, total: float | None) -> float:
    assert total is not None
    assert row.honest.total is not None
    return total - row.honest.total


def _where_it_wins(family: Family, pairs: Sequence[Pair], rule: WinRule) -> Sequence[Pair]:
    """Return the rows that it wins; all rows if it wins by their mean."""
    if rule.wins(family, _mean([_ahead(row, outcome.total) for row, outcome in pairs])):
        return pairs
    return [(row, outcome) for row, outcome in pairs if rule.wins(family, _ahead(row, outcome.total))]


def _blame(pairs: Sequence[Pair], tolerance: float) -> Blame | None:
    """Return the component to blame; None if none gives it anything: the total is the same."""
    gains = [_gain(name, pairs, tolerance) for name in pairs[0][1].instead]
    most = max((blame for blame in gains if blame is not None), key=lambda blame: blame.gain, default=None)
    return most if most is not None and most.gain > tolerance else None


def _gain(name: str, pairs: Sequence[Pair], tolerance: float) -> Blame | None:
    """Return what one component gives; None if no row can tell."""
    without = _without(name, pairs)
    if not without:
        return None
    left, lead = _mean(without), _mean([_ahead(row, outcome.total) for row, outcome in _known(name, pairs)])
    then: Left = "ties" if abs(left) <= tolerance else "wins" if left > 0 else "loses"
    return Blame(component=name, lead=lead, gain=lead - left, left=then)


def _without(name: str, pairs: Sequence[Pair]) -> list[float]:
    """Return how far ahead it would be in each row if this component gave it the value of the honest completion."""
    return [_ahead(row, outcome.instead[name]) for row, outcome in _known(name, pairs)]


def _known(name: str, pairs: Sequence[Pair]) -> list[Pair]:
    return [(row, outcome) for row, outcome in pairs if outcome.instead[name] is not None]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def means(outcomes: Sequence[CompletionResult]) -> dict[str, float | None]:
    """Return each component's mean over the completions to which it gave a value; None if there are none."""
    return {name: mean([o.values[name] for o in outcomes]) for name in (outcomes[0].values if outcomes else ())}


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values that are not None; None if there are none."""
    present = [value for value in values if value is not None]
    return _mean(present) if present else None


def slices(rows: Sequence[MeasuredRow], by: Sequence[str]) -> Iterator[tuple[str, list[MeasuredRow]]]:
    """Yield ("language de", its rows) for each value of each of these fields, values sorted."""
    for name in by:
        values = [(str(row.sample.fields[name]), row) for row in rows if name in row.sample.fields]
        for value in sorted({value for value, _ in values}):
            yield f"{name} {value}", [row for other, row in values if other == value]
