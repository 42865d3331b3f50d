"""The report's part about causes: what each component contributed to the rewards that trained."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.causes.findings import findings
from rewardlab.causes.records import ledger_movement
from rewardlab.causes.told import table
from rewardlab.lines import read_lines


@dataclass(frozen=True, kw_only=True)
class WhatMoved:
    """about: of which groups; table: a head and a line a component; findings: in words."""

    about: str
    table: Sequence[Sequence[str]]
    findings: Sequence[str]


def what_moved(ledger: Path) -> WhatMoved | None:
    """Of a run's ledger; None where there is none, or it tells of no contributions."""
    if not ledger.exists():
        return None
    movement, trained = ledger_movement(row for _, row in read_lines(ledger) if isinstance(row, Mapping))
    if not movement.groups:
        return None
    of = "that were trained on" if trained else "of evaluations"
    differs = "shares of how much rewards differ between completions of the same prompt"
    return WhatMoved(
        about=f"{movement.groups:,} groups {of}; {differs}.",
        table=list(table(movement)),
        findings=[finding.what for finding in findings(movement)],
    )


def beside(score: Mapping[str, Any]) -> str:
    """A component's contribution, to stand beside its value; nothing where it has none."""
    contribution = score.get("contribution")
    return "" if contribution is None else f" (gave {contribution:+.2f})"
