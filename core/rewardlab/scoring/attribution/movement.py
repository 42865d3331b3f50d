"""The movement of the reward inside of groups, summed over scored groups: what each component made of it.

The sums also show which components never moved and which do the same as others. Memory grows with the square of the
number of components, and not with the number of groups.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from operator import mul
from typing import TypeGuard

from rewardlab.scoring.attribution.contributions import ROUNDING
from rewardlab.scoring.attribution.decomposition import mean

Column = Sequence[float | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupRecord:
    """A group of G completions as movement counts it.

    contributions: component of the total -> G contributions, None where the total is not made of the components.
    values: component -> G values that it gave. uses: component of the total -> how the total uses it: "weight" with its
    weight, "gate" and "counterfactual" with any number. rest: G numbers, what no component contributed.
    """

    contributions: Mapping[str, Column]
    values: Mapping[str, Column]
    uses: Mapping[str, Mapping[str, float]]
    rest: Sequence[float]


@dataclass
class ComponentMovement:
    """The movement that one component of the total made.

    groups: those with two or more contributions; constant: those of them in which it tells no two completions apart,
    because all contributions or all values are equal (a gate that is half open for all takes more from a better answer,
    but that is the answer's doing). idle: those of the constant groups in which it is a gate with different values, so
    that it shuts only what is worth nothing anyway. movement: the sum of the absolute differences between its
    contributions and their mean in their group. uses: as in GroupRecord.
    """

    groups: int = 0
    constant: int = 0
    idle: int = 0
    movement: float = 0.0
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

    components: those of the total; logged: those that the total does not name. rest: the movement of what no component
    contributed, as a normalizer that is no line adds it.
    """

    def __init__(self) -> None:
        self.groups = 0
        self.components: dict[str, ComponentMovement] = {}
        self.logged: dict[str, None] = {}
        self.rest = 0.0
        self._pairs: dict[tuple[str, str], _Pair] = {}

    def add(self, record: GroupRecord) -> None:
        """Add a group."""
        self.groups += 1
        self.logged |= dict.fromkeys(name for name in record.values if name not in record.contributions)
        for name, column in record.contributions.items():
            moved = self.components.setdefault(name, ComponentMovement())
            moved.uses |= record.uses[name]
            _count(moved, column, record.values[name], gate="gate" in record.uses[name])
        self.rest += _movement_of_rest(record)
        values = {name: record.values[name] for name in record.contributions}
        whole = {name: _centred(column) for name, column in values.items() if _is_whole(column)}
        for first, second in combinations(values, 2):
            if first in whole and second in whole:
                centred = whole[first], whole[second]
            else:
                centred = _centred_together(values[first], values[second])
            self._pairs.setdefault((first, second), _Pair()).add(*centred)

    @property
    def telling(self) -> int:
        """The number of groups in which a component could tell completions apart, having two or more contributions."""
        return max((moved.groups for moved in self.components.values()), default=0)

    def share(self, name: str) -> float | None:
        """Return the share of the components' movement that this one made; None where nothing moved."""
        whole = self._of_components()
        return self.components[name].movement / whole if whole else None

    def rest_share(self) -> float | None:
        """Return the share of the components' and the rest's movement that the rest made; None where nothing moved."""
        whole = self._of_components() + self.rest
        return self.rest / whole if whole else None

    def _of_components(self) -> float:
        return math.fsum(moved.movement for moved in self.components.values())

    def correlations(self) -> dict[tuple[str, str], tuple[float, int]]:
        """Return, for each pair of components, the correlation of their values and the groups in which either varies.

        The values are centred in their groups.
        """
        found = {}
        for names, pair in self._pairs.items():
            scale = math.sqrt(pair.squares) * math.sqrt(pair.other_squares)
            if scale > 0:
                found[names] = (pair.products / scale, pair.varied)
        return found


def _count(moved: ComponentMovement, contributions: Column, values: Column, gate: bool) -> None:
    given = [contribution for contribution in contributions if contribution is not None]
    if len(given) < 2:
        return
    distinct = {value for value, given in zip(values, contributions, strict=True) if given is not None}
    still = max(given) - min(given) <= ROUNDING * max(map(abs, given))
    moved.groups += 1
    moved.constant += still or (len(distinct) == 1 and None not in distinct)
    moved.idle += still and gate and len(distinct - {None}) > 1
    if not still:
        middle = mean(given)
        moved.movement += math.fsum(abs(value - middle) for value in given)


def _movement_of_rest(record: GroupRecord) -> float:
    """Return the movement of the rest, over completions with contributions: the rest of others is all their reward."""
    if len(set(record.rest)) < 2:  # as of every normalizer that is a line
        return 0.0
    columns = record.contributions.values()
    rest = [value for value, *given in zip(record.rest, *columns, strict=True) if None not in given]
    middle = mean(rest) if rest else 0.0
    return math.fsum(abs(value - middle) for value in rest)


def _is_whole(column: Column) -> TypeGuard[Sequence[float]]:
    return len(column) > 1 and None not in column


def _centred_together(ones: Column, others: Column) -> tuple[list[float], list[float]]:
    """Return both columns, centred, for the completions with a value in each."""
    both = [(one, other) for one, other in zip(ones, others, strict=True) if one is not None and other is not None]
    return (_centred([one for one, _ in both]), _centred([other for _, other in both])) if len(both) > 1 else ([], [])


def _centred(column: Sequence[float]) -> list[float]:
    middle = mean(column)
    return [value - middle for value in column]
