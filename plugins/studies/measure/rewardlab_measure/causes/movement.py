"""The movement of the reward inside of groups, summed over scored groups: what each component made of it.

A component's share is the covariance of its contributions with the shaped rewards, over the variance of these: all
shares, that of the rest included, add up to 1. The sums also show which components never moved and which do the same as
others. Memory grows with the square of the number of components, and not with the number of groups.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from operator import mul
from typing import Any, Literal, TypeGuard

from rewardlab.scoring import mean

Column = Sequence[float | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupRecord:
    """A group of G completions as movement counts it.

    Args:
        contributions: component of the total -> G contributions, None if the total is not made of the components.
        values: component -> G values that it gave.
        uses: component of the total -> how the total uses it: "weight" with its weight, "gate" and "counterfactual"
            with any number.
        rest: what no component contributed.
    """

    contributions: Mapping[str, Column]
    values: Mapping[str, Column]
    uses: Mapping[str, Mapping[str, float]]
    rest: Column


@dataclass
class ComponentMovement:
    """The movement that one component of the total made.

    Args:
        groups: those with two or more contributions.
        constant: those of them in which all completions got the same from it, because all contributions or all
            values are equal (a gate that is half open for all takes more from a better answer, but that is the
            answer's doing).
        idle: those of the constant groups in which it is a gate with different values, so that it shuts only what
            is worth nothing anyway.
        squares: the sum of the squared differences between its contributions and their mean in their group.
        with_reward: the sum of the products of these differences with those of the shaped reward.
        uses: as in GroupRecord.
    """

    groups: int = 0
    constant: int = 0
    idle: int = 0
    squares: float = 0.0
    with_reward: float = 0.0
    uses: dict[str, float] = field(default_factory=dict)


@dataclass
class _Pair:
    """Sums of products of two components' centred values. varied: groups in which either of them varies."""

    varied: int = 0
    squares: float = 0.0
    other_squares: float = 0.0
    products: float = 0.0

    def add(self, centred: Sequence[float], other_centred: Sequence[float]) -> None:
        self.squares += math.fsum(map(mul, centred, centred))
        self.other_squares += math.fsum(map(mul, other_centred, other_centred))
        self.products += math.fsum(map(mul, centred, other_centred))
        self.varied += any(centred) or any(other_centred)


class Movement:
    """The movement of all groups that were added.

    Args:
        learned: whether a model was trained on them; an evaluation learns nothing. components: those of the total;
            logged: those that the total does not name.
    """

    def __init__(self, *, learned: bool = False) -> None:
        self.learned = learned
        self.groups = 0
        self.components: dict[str, ComponentMovement] = {}
        self.logged: dict[str, None] = {}
        self._rest = ComponentMovement()
        self._reward_squares = 0.0
        self._pairs: dict[tuple[str, str], _Pair] = {}

    def add(self, record: GroupRecord) -> None:
        """Add a group."""
        self.groups += 1
        self.logged |= dict.fromkeys(name for name in record.values if name not in record.contributions)
        for name, column in record.contributions.items():
            moved = self.components.setdefault(name, ComponentMovement())
            moved.uses |= record.uses[name]
            _count(moved, column, record.values[name], gate="gate" in record.uses[name])
        self._add_products(record)
        values = {name: record.values[name] for name in record.contributions}
        whole = {name: _centred(column) for name, column in values.items() if _is_whole(column)}
        for first, second in combinations(values, 2):
            if first in whole and second in whole:
                centred = whole[first], whole[second]
            else:
                centred = _centred_together(values[first], values[second])
            self._pairs.setdefault((first, second), _Pair()).add(*centred)

    def _add_products(self, record: GroupRecord) -> None:
        """Add the products of contributions with the reward, over completions whose reward the components made."""
        made = list(zip(record.rest, *record.contributions.values(), strict=True))
        given = [row for row in made if _is_whole(row)]
        if len(given) < 2:
            return
        columns = [_moves(column) for column in zip(*given, strict=True)]
        reward = [math.fsum(row) for row in zip(*columns, strict=True)]
        self._reward_squares += math.fsum(map(mul, reward, reward))
        for moved, column in zip((self._rest, *map(self.components.get, record.contributions)), columns, strict=True):
            assert moved is not None
            moved.squares += math.fsum(map(mul, column, column))
            moved.with_reward += math.fsum(map(mul, column, reward))

    @property
    def telling(self) -> int:
        """The number of groups with two or more contributions, in which a component could vary."""
        return max((moved.groups for moved in self.components.values()), default=0)

    def share(self, name: str) -> float | None:
        """Return the share of the reward's variance in groups that this component made; None if nothing moved.

        It is negative if the component works against the reward. All shares and the rest's add up to 1.
        """
        return self._of_variance(self.components[name].with_reward)

    def rest_share(self) -> float | None:
        """Return the share that no component made, as a normalizer that is not a line; None if nothing moved."""
        return self._of_variance(self._rest.with_reward)

    def variance_beside(self, name: str) -> float | None:
        """Return the variance of all others, each by itself, over that of the reward; None if nothing moved."""
        others = [moved.squares for other, moved in self.components.items() if other != name]
        return self._of_variance(math.fsum([self._rest.squares, *others]))

    def _of_variance(self, part: float) -> float | None:
        parts = math.fsum(moved.squares for moved in (self._rest, *self.components.values()))
        return part / self._reward_squares if self._reward_squares > ROUNDING**2 * parts else None

    def correlations(self) -> dict[tuple[str, str], tuple[float, int]]:
        """Return, for each pair of components, the correlation of their values and the groups in which either varies.

        The values are centred in their groups.
        """
        by_pair = {}
        for names, pair in self._pairs.items():
            scale = math.sqrt(pair.squares) * math.sqrt(pair.other_squares)
            if scale > 0:
                by_pair[names] = (pair.products / scale, pair.varied)
        return by_pair


def _count(moved: ComponentMovement, contributions: Column, values: Column, gate: bool) -> None:
    given = [contribution for contribution in contributions if contribution is not None]
    if len(given) < 2:
        return
    distinct = {value for value, given in zip(values, contributions, strict=True) if given is not None}
    still = _is_still(given)
    moved.groups += 1
    moved.constant += still or (len(distinct) == 1 and None not in distinct)
    moved.idle += still and gate and len(distinct - {None}) > 1


def _is_still(given: Sequence[float]) -> bool:
    """Return whether all are equal but for rounding."""
    return max(given) - min(given) <= ROUNDING * max(map(abs, given))


def _moves(given: Sequence[float]) -> Sequence[float]:
    return [0.0] * len(given) if _is_still(given) else _centred(given)


def _is_whole(column: Column) -> TypeGuard[Sequence[float]]:
    return len(column) > 1 and None not in column


def _centred_together(values: Column, others: Column) -> tuple[list[float], list[float]]:
    """Return both columns, centred, for the completions with a value in each."""
    both = [
        (value, other) for value, other in zip(values, others, strict=True) if value is not None and other is not None
    ]
    return (
        (_centred([value for value, _ in both]), _centred([other for _, other in both])) if len(both) > 1 else ([], [])
    )


def _centred(column: Sequence[float]) -> list[float]:
    middle = mean(column)
    return [value - middle for value in column]


ROUNDING = 1e-12
"""Contributions that differ by less than this share of the largest are equal but for rounding."""
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
    """A finding about components that are dead, shut only what is nothing, dominate the others or say the same.

    Args:
        amount: the share or correlation that was found.
        what: the finding in words.
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
        problem = f"{name} is the same for all completions of a prompt in {often}"
        yield ComponentFinding(
            kind="dead" if dead else "still",
            components=(name,),
            amount=share,
            groups=moved.groups,
            what=f"{problem}: it is dead{learned}" if dead else f"{problem} ({share:.1%})",
        )


def _idle(name: str, moved: ComponentMovement, often: str) -> ComponentFinding:
    """Return the finding about a gate that differs between completions and takes nothing from any of them."""
    remark = (
        f"{name} takes nothing away in {often}: what it shuts is worth nothing already; it guards, and adds nothing"
    )
    return ComponentFinding(
        kind="idle", components=(name,), amount=moved.constant / moved.groups, groups=moved.groups, what=remark
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
            problem = f"{name} makes {share:.1%} of the reward's variance; {rest} hardly count{'s' * (others == 1)}"
            yield ComponentFinding(
                kind="dominating", components=(name,), amount=share, groups=moved.groups, what=problem
            )


def _duplicates(movement: Movement) -> Iterator[ComponentFinding]:
    for names, (correlation, varied) in movement.correlations().items():
        if varied >= MIN_GROUPS and abs(correlation) > SAME:
            same = f"{names[0]} and {names[1]} say the same (their values correlate by {correlation:.3f} in groups)"
            opposite = f"{names[0]} and {names[1]} say opposite things (their values correlate by {correlation:.3f})"
            remark = same if correlation > 0 else opposite
            yield ComponentFinding(kind="duplicate", components=names, amount=correlation, groups=varied, what=remark)
