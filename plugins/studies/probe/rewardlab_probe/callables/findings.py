"""What is wrong with a grader: one sentence each, with a line that shows it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rewardlab import Sample
from rewardlab.recipe import Family
from rewardlab.text import counted

from rewardlab_probe.callables.grader_process import CallResult, Trouble
from rewardlab_probe.callables.reproduction import Reproducer
from rewardlab_probe.callables.scored_rows import ScoredTexts
from rewardlab_probe.families import CHECKS, DESCRIPTIONS, FLOOR, WELL_FORMED
from rewardlab_probe.honest_row import HonestRow
from rewardlab_probe.job import ProbeResult
from rewardlab_probe.measure import ProbeGroup
from rewardlab_probe.verdicts import FamilyVerdict

Level = Literal["error", "note"]
TROUBLES: Mapping[Trouble, tuple[str, str]] = {
    "raised": ("exceptions", "it raises in the place of a score"),
    "exits": ("ends_process", "it leaves by SystemExit"),
    "died": ("ends_process", "it ends its process"),
    "unfit": ("no_score", "it returns no score"),
    "deadline": ("never_returns", "it does not return"),
    "memory": ("memory", "it takes too much memory"),
}
"""Kind of trouble -> the check that it fails, and what it is."""
TROUBLE_CHECKS = tuple(dict.fromkeys(check for check, _ in TROUBLES.values()))

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


def winners(probed: ProbeResult, groups: Sequence[ProbeGroup], reproducer: Reproducer) -> Iterator[Finding]:
    """Yield a finding for each family that wins, with the row where it is furthest ahead."""
    verdicts: dict[Family, FamilyVerdict] = {}
    for sliced, verdict in probed.acting:
        if verdict.wins and (verdict.family not in verdicts or sliced is probed.slices[0]):
            verdicts.setdefault(verdict.family, verdict)
    for family, verdict in verdicts.items():
        row, text = _example(verdict, groups)
        shown = f" ({verdict.variant})" if verdict.variant else ""
        means = f"mean {verdict.total:.3g} beside {verdict.honest:.3g} for the honest one"
        rows = f"{verdict.won} of {counted(verdict.rows, 'row')}"
        yield Finding(
            check=family,
            rfc=CHECKS[family],
            what=f"{family}{shown} wins {rows} ({means}): {DESCRIPTIONS[family]}",
            row=row.sample.id,
            line=reproducer.line([(row.sample, [text]), (row.sample, [row.honest])]),
        )


def _example(verdict: FamilyVerdict, groups: Sequence[ProbeGroup]) -> tuple[HonestRow, str]:
    """Return the row where a family is furthest ahead, and its completion there."""
    for group in groups:
        if group.probe.row.sample.id == verdict.example:
            for attempt in group.attempts:
                if (attempt.family, attempt.variant) == (verdict.family, verdict.variant):
                    return group.probe.row, attempt.text
    raise LookupError(verdict.family)


def floor_finding(probed: ProbeResult) -> Iterator[Finding]:
    """Yield what is wrong with the floor, if doing nothing earns too much and no family says so."""
    if probed.floor is not None and probed.floor.too_near:
        gap = f"{probed.floor.family} is {probed.floor.gap:.3f} behind the honest one"
        yield Finding(check=FLOOR_CHECK, rfc=FLOOR, what=f"doing nothing earns too much: {gap}")


def troubles(scored: ScoredTexts, reproducer: Reproducer) -> Iterator[Finding]:
    """Yield a finding for each way in which calls got no score: the kind, and for an exception its place."""
    alike: dict[tuple[str, str], list[tuple[Sample, str, CallResult]]] = {}
    for sample, text, result in scored.troubled:
        alike.setdefault((TROUBLES[result.trouble][0], _kind(result)), []).append((sample, text, result))
    for (check, _), each in alike.items():
        sample, text, result = min(each, key=lambda one: len(one[1]))
        yield Finding(
            check=check,
            rfc=WELL_FORMED,
            what=f"{TROUBLES[result.trouble][1]} in {counted(len(each), 'call')}: {result.why}",
            row=sample.id,
            line=reproducer.line([(sample, [text])]),
        )


def _kind(result: CallResult) -> str:
    """Return what is the same of calls that fail in the same way: the exception without its text."""
    return re.sub(r":.*(?= \(at )|:[^(]*$", "", result.why) if result.trouble == "raised" else result.trouble
