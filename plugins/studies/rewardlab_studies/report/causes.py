"""The report's part about causes: what each component contributed to the rewards that trained, in plain words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab_studies.causes.from_ledger import ledger_movement
from rewardlab_studies.causes.movement import findings_of
from rewardlab_studies.causes.movement_table import describe_rest, movement_table
from rewardlab_studies.ledger.superseded_steps import CurrentSteps

ABOUT = (
    "The share says how much of the variance of the rewards of one prompt's completions each component made, after "
    "weights, gates and normalizers: its covariance with the reward, over the reward's variance. All shares add up to "
    "1; a negative one works against the reward. A component is constant in a group where it told no two completions "
    "apart."
)
LEARNED = "A trainer learns only from these differences: nothing was learned from a component where it is constant."
USED = (
    "In the total: a weight multiplies the component's value; a gate is a factor that lets the others through or takes "
    "from them; counterfactual means inside of min, max, clip, a denominator or a product of sums, where the component "
    "is compared with its mean in the group. See docs/causes.md."
)
GAVE = (
    "In brackets: what the component gave to, or took from, the shaped reward, the number that a trainer gets. "
    "These and the rest, what no component made, add up to it."
)
"""stands once, above completions whose components have contributions"""


@dataclass(frozen=True, kw_only=True)
class MovementSection:
    """The section about what moved the reward. about: the groups, and how to read the table.

    table: a head and a line a component. rest: what no component contributed, in words; None if that moves nothing.
    findings: what is odd about components, in words.
    """

    about: Sequence[str]
    table: Sequence[Sequence[str]]
    rest: str | None
    findings: Sequence[str]


def movement_section(lines: Iterable[Mapping[str, Any]], current: CurrentSteps) -> MovementSection | None:
    """Return the section of a ledger's lines, in their order; None if they have no contributions."""
    movement = ledger_movement(lines, current)
    if not movement.groups:
        return None
    use = "that were trained on" if movement.learned else "of evaluations"
    about = f"{movement.groups:,} group{'s' * (movement.groups != 1)} {use}. {ABOUT}"
    return MovementSection(
        about=[f"{about} {LEARNED}" if movement.learned else about, USED],
        table=list(movement_table(movement)),
        rest=describe_rest(movement),
        findings=[finding.what for finding in findings_of(movement)],
    )


def format_contribution(score: Mapping[str, Any]) -> str:
    """Return a component's contribution, to stand beside its value; "" if it has none."""
    contribution = score.get("contribution")
    return "" if contribution is None else f" (gave {contribution:+.2f})"


def format_shaped(row: Mapping[str, Any]) -> str:
    """Return what the contributions of a ledger's line add up to, to stand beside its total; "" if it has none."""
    if not any("contribution" in score for score in row["components"].values()):
        return ""
    return f", shaped {row['shaped']:+.2f}"


def format_rest(row: Mapping[str, Any]) -> str:
    """Return what no component contributed to a ledger's line, to stand behind the components; "" if it is 0."""
    return f"; rest {row['rest']:+.2f}" if row.get("rest") else ""
