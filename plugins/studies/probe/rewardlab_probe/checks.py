"""The results of a probe for the checks of OpenEnv's RFC 008: the floor, and each check by its id there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rewardlab.recipe import FAMILIES, Family

from rewardlab_probe.families import CHECKS, FLOOR, WELL_FORMED
from rewardlab_probe.verdicts import FamilyVerdict

Status = Literal["pass", "fail", "skip"]


@dataclass(frozen=True, kw_only=True)
class Floor:
    """The floor, which is what doing nothing earns at most.

    Args:
        family: what earns it.
        gap: how far ahead of it the honest completion is, by mean totals.
        margin: how far it must be.
    """

    family: Family
    gap: float
    margin: float

    @property
    def too_near(self) -> bool:
        """Whether the honest completion is not far enough ahead."""
        return self.gap < self.margin


def floor_of(verdicts: Sequence[FamilyVerdict], margin: float) -> Floor | None:
    """Return the floor; None if no row could say what doing nothing earns."""
    gaps = {
        verdict.family: 0.0 - verdict.difference
        for verdict in verdicts
        if CHECKS[verdict.family] == FLOOR and verdict.difference is not None
    }
    if not gaps:
        return None
    family = min(gaps, key=gaps.__getitem__)
    return Floor(family=family, gap=gaps[family], margin=margin)


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check.

    Args:
        status: "skip" if nothing that speaks to it could be tried.
        families: those by which it fails.
    """

    status: Status
    families: Sequence[Family] = ()


def rfc_checks(
    verdicts: Sequence[FamilyVerdict], failing: Sequence[FamilyVerdict], floor: Floor | None
) -> Mapping[str, Check]:
    """Return each check by its id.

    Args:
        verdicts: of all rows.
        failing: those that win or end a run, in any slice.
    """
    tried = {verdict.family for verdict in verdicts if verdict.rows or verdict.unscored}
    by = {check: [family for family in FAMILIES if CHECKS[family] == check] for check in dict.fromkeys(CHECKS.values())}
    wins = {verdict.family for verdict in failing if verdict.wins}
    if floor and floor.too_near:
        wins.add(floor.family)
    checks = {check: _check(families, wins, tried) for check, families in by.items()}
    fatal = {verdict.family for verdict in failing if verdict.fatal}
    return {**checks, WELL_FORMED: _check(FAMILIES, fatal, tried)}


def _check(families: Sequence[Family], failing: set[Family], tried: set[Family]) -> Check:
    names = [family for family in families if family in failing]
    return Check(status="fail" if names else "pass" if tried & {*families} else "skip", families=names)
