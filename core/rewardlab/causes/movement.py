"""Sums over scored groups: who moved the reward inside of groups, who never did, and who does the same as whom.

Memory grows with the square of the number of components, and not with the number of groups.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from operator import mul
from typing import TypeGuard

from rewardlab.causes.contributions import ROUNDING
from rewardlab.causes.parts import mean

Column = Sequence[float | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """What one group of G completions says of its components.

    contributions: component of the total -> G contributions, None where the total is not made of the components.
    values: component -> G values that it gave. uses: component of the total -> how the total uses it: "weight" with its
    weight, "gate" and "counterfactual" with any number. rest: G numbers, what no component contributed.
    """

    contributions: Mapping[str, Column]
    values: Mapping[str, Column]
    uses: Mapping[str, Mapping[str, float]]
    rest: Sequence[float]


@dataclass
class Moved:
    """What one component of the total did.

    groups: those with two or more contributions; constant: those of them in which it tells no two completions apart,
    for all contributions or all values are equal (a gate that is half open for all takes more from a better answer, but
    for the answer's sake). movement: the sum of the absolute differences between its contributions and their mean in
    their group. uses: as Record has it.
    """

    groups: int = 0
    constant: int = 0
    movement: float = 0.0
    uses: dict[str, float] = field(default_factory=dict)


@dataclass
class _Pair:
    """Sums of products of centred values; varied: groups in which either of them varies."""

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
    """Of groups as they were scored, one `add` each. logged: components that the total does not name.

    rest: the movement of what no component contributed, as a normalizer that is no line adds it.
    """

    def __init__(self) -> None:
        self.groups = 0
        self.components: dict[str, Moved] = {}
        self.logged: dict[str, None] = {}
        self.rest = 0.0
        self._pairs: dict[tuple[str, str], _Pair] = {}

    def add(self, record: Record) -> None:
        """Count a group."""
        self.groups += 1
        self.logged |= dict.fromkeys(name for name in record.values if name not in record.contributions)
        for name, column in record.contributions.items():
            moved = self.components.setdefault(name, Moved())
            moved.uses |= record.uses[name]
            _count(moved, column, record.values[name])
        self.rest += _movement_of_rest(record)
        values = {name: record.values[name] for name in record.contributions}
        whole = {name: _centred(column) for name, column in values.items() if _is_whole(column)}
        for one, other in combinations(values, 2):
            if one in whole and other in whole:
                centred = whole[one], whole[other]
            else:
                centred = _centred_together(values[one], values[other])
            self._pairs.setdefault((one, other), _Pair()).add(*centred)

    @property
    def telling(self) -> int:
        """Groups in which a component could tell completions apart: those with two or more contributions."""
        return max((moved.groups for moved in self.components.values()), default=0)

    def share(self, name: str) -> float | None:
        """Of all movement, what this component made; None where nothing moved."""
        whole = self._of_components()
        return self.components[name].movement / whole if whole else None

    def rest_share(self) -> float | None:
        """Of the movement of the components and the rest, what the rest made; None where nothing moved."""
        whole = self._of_components() + self.rest
        return self.rest / whole if whole else None

    def _of_components(self) -> float:
        return math.fsum(moved.movement for moved in self.components.values())

    def correlations(self) -> dict[tuple[str, str], tuple[float, int]]:
        """Of two components' values, centred in their groups: (correlation, groups in which either varies)."""
        found = {}
        for names, pair in self._pairs.items():
            scale = math.sqrt(pair.squares) * math.sqrt(pair.other_squares)
            if scale > 0:
                found[names] = (pair.products / scale, pair.varied)
        return found


def _count(moved: Moved, contributions: Column, values: Column) -> None:
    given = [contribution for contribution in contributions if contribution is not None]
    if len(given) < 2:
        return
    said = {value for value, given in zip(values, contributions, strict=True) if given is not None}
    still = max(given) - min(given) <= ROUNDING * max(map(abs, given))
    moved.groups += 1
    moved.constant += still or (len(said) == 1 and None not in said)
    if not still:
        middle = mean(given)
        moved.movement += math.fsum(abs(value - middle) for value in given)


def _movement_of_rest(record: Record) -> float:
    """Over the completions that have contributions: the rest of the others is all of their reward."""
    if len(set(record.rest)) < 2:  # as of every normalizer that is a line
        return 0.0
    columns = record.contributions.values()
    rest = [value for value, *given in zip(record.rest, *columns, strict=True) if None not in given]
    middle = mean(rest) if rest else 0.0
    return math.fsum(abs(value - middle) for value in rest)


def _is_whole(column: Column) -> TypeGuard[Sequence[float]]:
    return len(column) > 1 and None not in column


def _centred_together(ones: Column, others: Column) -> tuple[list[float], list[float]]:
    """Of the completions for which both have a value."""
    both = [(one, other) for one, other in zip(ones, others, strict=True) if one is not None and other is not None]
    return (_centred([one for one, _ in both]), _centred([other for _, other in both])) if len(both) > 1 else ([], [])


def _centred(column: Sequence[float]) -> list[float]:
    middle = mean(column)
    return [value - middle for value in column]
