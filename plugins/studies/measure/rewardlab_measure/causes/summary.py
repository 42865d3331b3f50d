"""The text of `rewardlab causes`: which components moved the reward."""

from collections.abc import Iterator

from rewardlab.text import counted

from rewardlab_measure.causes.movement import MIN_GROUPS, Movement, findings_of
from rewardlab_measure.causes.movement_table import movement_lines


def summary_lines(movement: Movement) -> Iterator[str]:
    """Yield a head, a line a component, and a note if there are too few groups to name any component."""
    yield f"what moved the reward, in {counted(movement.groups, 'group')}:"
    yield from (f"  {line}" for line in movement_lines(movement))
    if movement.telling < MIN_GROUPS:
        telling = (
            f"{movement.telling} of them {'has' if movement.telling == 1 else 'have'} two completions with a total"
        )
        yield f"  ({telling}; from {MIN_GROUPS} on, dead, dominating and duplicate components are named)"


def finding_lines(movement: Movement) -> Iterator[str]:
    """Yield a sentence for each component that is dead, dominates the others or says the same as another."""
    yield from (finding.what for finding in findings_of(movement))
