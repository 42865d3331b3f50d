"""Components that do not do their part: dead, rarely alive, dominating, duplicate; in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from rewardlab.causes.movement import Movement

LEAST_GROUPS = 8
"""Of fewer groups with two completions or more nothing is said."""
STILL = 0.9
"""A component that is constant in more than this share of groups is told."""
DOMINATES = 0.9
"""One component that makes more than this share of the movement is told, where others move, too."""
SAME = 0.99
"""Two components whose values correlate by more than this, one way or the other, are told."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """What is odd about some components. amount: the share or correlation that was found."""

    kind: Literal["dead", "still", "dominating", "duplicate"]
    components: tuple[str, ...]
    amount: float
    groups: int
    what: str

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "kind": self.kind,
            "components": list(self.components),
            "amount": self.amount,
            "groups": self.groups,
            "what": self.what,
        }


def findings(movement: Movement) -> list[Finding]:
    """Dead and still components first, then dominating ones, then duplicates."""
    return [*_still(movement), *_dominating(movement), *_duplicates(movement)]


def _still(movement: Movement) -> Iterator[Finding]:
    for name, moved in movement.components.items():
        if moved.groups < LEAST_GROUPS or moved.constant <= STILL * moved.groups:
            continue
        dead, share = moved.constant == moved.groups, moved.constant / moved.groups
        often = f"every one of {moved.groups} groups" if dead else f"{moved.constant} of {moved.groups} groups"
        told = f"{name} tells no two completions of a prompt apart in {often}"
        yield Finding(
            kind="dead" if dead else "still",
            components=(name,),
            amount=share,
            groups=moved.groups,
            what=f"{told}: it is dead, nothing is learned from it" if dead else f"{told} ({share:.1%})",
        )


def _dominating(movement: Movement) -> Iterator[Finding]:
    alive = [name for name, moved in movement.components.items() if moved.movement]
    others = len(alive) - 1  # dead ones are told as such
    for name in alive if others else ():
        moved, share = movement.components[name], movement.share(name)
        if moved.groups >= LEAST_GROUPS and share is not None and share > DOMINATES:
            beside = "the other one" if others == 1 else f"the {others} others"
            what = f"{name} makes {share:.1%} of the reward's movement; {beside} hardly count{'s' * (others == 1)}"
            yield Finding(kind="dominating", components=(name,), amount=share, groups=moved.groups, what=what)


def _duplicates(movement: Movement) -> Iterator[Finding]:
    for names, (correlation, varied) in movement.correlations().items():
        if varied >= LEAST_GROUPS and abs(correlation) > SAME:
            what = f"{names[0]} and {names[1]} say the same (their values correlate by {correlation:.3f} in groups)"
            opposite = f"{names[0]} and {names[1]} say opposite things (their values correlate by {correlation:.3f})"
            told = what if correlation > 0 else opposite
            yield Finding(kind="duplicate", components=names, amount=correlation, groups=varied, what=told)
