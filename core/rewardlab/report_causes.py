"""The report's part about causes: what each component contributed to the rewards that trained, in plain words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.causes.attempts import Standing
from rewardlab.causes.findings import findings
from rewardlab.causes.records import ledger_movement
from rewardlab.causes.told import of_rest, table
from rewardlab.lines import read_lines

ABOUT = (
    "A trainer learns only from how the rewards of one prompt's completions differ. The share says how much of these "
    "differences each component made, after weights, gates and normalizers. A component is constant in a group where "
    "it told no two completions apart: nothing was learned from it there."
)
USED = (
    "In the total: a weight multiplies the component's value; a gate is a factor that lets the others through or takes "
    "from them; counterfactual means inside of min, max, clip, a denominator or a product of sums, where the component "
    "is compared with its mean in the group. See docs/causes.md."
)
GAVE = (
    "In brackets: what the component gave to, or took from, the shaped reward, the number that a trainer gets. "
    "These and the rest, what no component made, add up to it."
)
"""said once, above completions whose components have contributions"""


@dataclass(frozen=True, kw_only=True)
class WhatMoved:
    """about: of which groups, and what the table says; table: a head and a line a component.

    rest: what no component contributed, None where that moves nothing; findings: what is odd. Both in words.
    """

    about: Sequence[str]
    table: Sequence[Sequence[str]]
    rest: str | None
    findings: Sequence[str]


def what_moved(ledger: Path) -> WhatMoved | None:
    """Of a run's ledger; None where there is none, or it tells of no contributions."""
    if not ledger.exists():
        return None
    movement, trained = ledger_movement(_rows(ledger), Standing(_rows(ledger)))
    if not movement.groups:
        return None
    of = "that were trained on" if trained else "of evaluations"
    return WhatMoved(
        about=[f"{movement.groups:,} group{'s' * (movement.groups != 1)} {of}. {ABOUT}", USED],
        table=list(table(movement)),
        rest=of_rest(movement),
        findings=[finding.what for finding in findings(movement)],
    )


def _rows(ledger: Path) -> Iterator[Mapping[str, Any]]:
    return (row for _, row in read_lines(ledger) if isinstance(row, Mapping))


def beside(score: Mapping[str, Any]) -> str:
    """A component's contribution, to stand beside its value; nothing where it has none."""
    contribution = score.get("contribution")
    return "" if contribution is None else f" (gave {contribution:+.2f})"


def shaped(row: Mapping[str, Any]) -> str:
    """What the contributions of a ledger's line add up to, to stand beside its total; nothing where there are none."""
    if not any("contribution" in score for score in row["components"].values()):
        return ""
    return f", shaped {row['shaped']:+.2f}"


def rest(row: Mapping[str, Any]) -> str:
    """What no component contributed, to stand behind them; nothing where it is nothing."""
    return f"; rest {row['rest']:+.2f}" if row.get("rest") else ""
