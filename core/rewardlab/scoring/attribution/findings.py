"""Findings about components that do not do their part: dead, rarely alive, idle gates, dominating, duplicate."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from rewardlab.scoring.attribution.movement import ComponentMovement, Movement

MIN_GROUPS = 8
"""With fewer groups of two completions or more there are no findings."""
STILL = 0.9
"""A component that is constant in more than this share of groups is a finding."""
DOMINATES = 0.9
"""A component with more than this share is a finding, if the others vary by no more than what is left of 1."""
SAME = 0.99
"""Two components whose values correlate by more than this, one way or the other, are a finding."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComponentFinding:
    """A remark on components that are dead, shut only what is nothing, dominate the others or say the same.

    amount: the share or correlation that was found. what: the remark in words.
    """

    kind: Literal["dead", "still", "idle", "dominating", "duplicate"]
    components: tuple[str, ...]
    amount: float
    groups: int
    what: str

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        return {
            "kind": self.kind,
            "components": list(self.components),
            "amount": self.amount,
            "groups": self.groups,
            "what": self.what,
        }


def findings_of(movement: Movement) -> list[ComponentFinding]:
    """Return the findings: first dead and still components, then dominating ones, then duplicates."""
    return [*_still(movement), *_dominating(movement), *_duplicates(movement)]


def _still(movement: Movement) -> Iterator[ComponentFinding]:
    learned = ", nothing is learned from it" if movement.learned else ""
    for name, moved in movement.components.items():
        if moved.groups < MIN_GROUPS or moved.constant <= STILL * moved.groups:
            continue
        dead, share = moved.constant == moved.groups, moved.constant / moved.groups
        often = f"every one of {moved.groups} groups" if dead else f"{moved.constant} of {moved.groups} groups"
        if 2 * moved.idle > moved.constant or (dead and moved.idle):
            yield _idle(name, moved, often)
            continue
        what = f"{name} is the same for all completions of a prompt in {often}"
        yield ComponentFinding(
            kind="dead" if dead else "still",
            components=(name,),
            amount=share,
            groups=moved.groups,
            what=f"{what}: it is dead{learned}" if dead else f"{what} ({share:.1%})",
        )


def _idle(name: str, moved: ComponentMovement, often: str) -> ComponentFinding:
    """Return the finding about a gate that differs between completions and takes nothing from any of them."""
    what = f"{name} takes nothing away in {often}: what it shuts is worth nothing already; it guards, and adds nothing"
    return ComponentFinding(
        kind="idle", components=(name,), amount=moved.constant / moved.groups, groups=moved.groups, what=what
    )


def _dominating(movement: Movement) -> Iterator[ComponentFinding]:
    alive = [name for name, moved in movement.components.items() if moved.squares]
    others = len(alive) - 1  # dead ones are findings of their own
    for name in alive if others else ():
        moved, share, beside = movement.components[name], movement.share(name), movement.variance_beside(name)
        if moved.groups < MIN_GROUPS or share is None or beside is None:
            continue
        if share > DOMINATES and beside < 1 - DOMINATES:  # others may vary a lot and cancel out, with shares near 0
            rest = "the other one" if others == 1 else f"the {others} others"
            what = f"{name} makes {share:.1%} of the reward's variance; {rest} hardly count{'s' * (others == 1)}"
            yield ComponentFinding(kind="dominating", components=(name,), amount=share, groups=moved.groups, what=what)


def _duplicates(movement: Movement) -> Iterator[ComponentFinding]:
    for names, (correlation, varied) in movement.correlations().items():
        if varied >= MIN_GROUPS and abs(correlation) > SAME:
            same = f"{names[0]} and {names[1]} say the same (their values correlate by {correlation:.3f} in groups)"
            opposite = f"{names[0]} and {names[1]} say opposite things (their values correlate by {correlation:.3f})"
            what = same if correlation > 0 else opposite
            yield ComponentFinding(kind="duplicate", components=names, amount=correlation, groups=varied, what=what)
