"""The section about causes: what each component contributed to the rewards that trained, in plain words."""

from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.text import counted
from rewardlab_measure.causes import LedgerMovement, describe_rest, findings_of, movement_rows

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


@dataclass(frozen=True, kw_only=True)
class MovementSection:
    """The section about what moved the reward.

    Args:
        about: the groups, and how to read the table.
        table: a head and a line a component.
        rest: what no component contributed, in words; None if that moves nothing.
        findings: what is odd about components, in words.
    """

    about: Sequence[str]
    table: Sequence[Sequence[str]]
    rest: str | None
    findings: Sequence[str]


def movement_section(ledger: LedgerMovement, untrained: str = "of evaluations") -> MovementSection | None:
    """Return the section of a ledger's groups; None if they have no contributions.

    Args:
        untrained: what to call groups that were not trained on.
    """
    movement = ledger.movement
    if not movement.groups:
        return None
    use = "that were trained on" if movement.learned else untrained
    about = f"{counted(movement.groups, 'group')} {use}. {ABOUT}"
    return MovementSection(
        about=[f"{about} {LEARNED}" if movement.learned else about, USED],
        table=list(movement_rows(movement)),
        rest=describe_rest(movement),
        findings=[finding.what for finding in findings_of(movement)],
    )
