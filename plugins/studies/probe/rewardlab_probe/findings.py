"""What is wrong with a reward or a grader: one sentence each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from rewardlab.recipe import Family
from rewardlab.text import counted

from rewardlab_probe.families import CHECKS, DESCRIPTIONS, FLOOR, WELL_FORMED
from rewardlab_probe.job import ProbeResult
from rewardlab_probe.verdicts import FamilyVerdict

Level = Literal["error", "note"]
FLOOR_CHECK = "floor"
"""The name of the finding that doing nothing earns too much."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What is wrong with a grader. A note does not fail a probe.

    Args:
        check: a family of degenerate completions, or a check of graders.
        rfc: the id of OpenEnv's RFC 008; "" if it has none.
        what: one line.
        row: the id of a row; "" for none.
        line: shows it, to paste into a shell; "" for none.
        known: why that is on purpose, as the user says; "" if it is not.
    """

    check: str
    what: str
    rfc: str = ""
    level: Level = "error"
    row: str = ""
    line: str = ""
    known: str = ""

    @property
    def fails(self) -> bool:
        """Whether it fails the probe."""
        return self.level == "error" and not self.known


def reward_findings(probed: ProbeResult) -> list[Finding]:
    """Return what is wrong with a recipe's reward, by what it lets win."""
    return [*winners(probed), *([] if probed.failing else floor_finding(probed)), *ends_of_runs(probed)]


def winners(probed: ProbeResult, line: Callable[[FamilyVerdict], str] = lambda verdict: "") -> Iterator[Finding]:
    """Yield a finding for each family that wins, with the row where it is furthest ahead. line: shows it."""
    verdicts: dict[Family, FamilyVerdict] = {}
    for sliced, verdict in probed.acting:
        if verdict.wins and (verdict.family not in verdicts or sliced is probed.slices[0]):
            verdicts.setdefault(verdict.family, verdict)
    for family, verdict in verdicts.items():
        shown = f" ({verdict.variant})" if verdict.variant else ""
        means = f"mean {verdict.total:.3g} beside {verdict.honest:.3g} for the honest one"
        rows = f"{verdict.won} of {counted(verdict.rows, 'row')}"
        yield Finding(
            check=family,
            rfc=CHECKS[family],
            what=f"{family}{shown} wins {rows} ({means}): {DESCRIPTIONS[family]}",
            row=verdict.example or "",
            line=line(verdict),
            known=probed.known.get(family, ""),
        )


def ends_of_runs(probed: ProbeResult) -> Iterator[Finding]:
    """Yield a finding for each family that has no total where that would end a run."""
    for verdict in probed.slices[0].verdicts:
        if verdict.fatal:
            family, rows = verdict.family, counted(verdict.fatal, "row")
            what = f"{family} would end a run ({rows}): {verdict.why}"
            yield Finding(check=family, rfc=WELL_FORMED, what=what, known=probed.known.get(family, ""))


def floor_finding(probed: ProbeResult) -> Iterator[Finding]:
    """Yield what is wrong with the floor, if doing nothing earns too much and no family says so."""
    if probed.floor is not None and probed.floor.too_near:
        known = probed.known.get(probed.floor.family, "")
        gap = f"{probed.floor.family} is {probed.floor.gap:.3f} behind the honest one"
        yield Finding(check=FLOOR_CHECK, rfc=FLOOR, what=f"doing nothing earns too much: {gap}", known=known)
