"""The decomposition of a total: a part for each name and a constant, which add up to the total."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rewardlab.plan import Plan
from rewardlab.recipe.expression import Expression
from rewardlab.recipe.terms import GatedTerm, MixedTerm, Terms, terms_of

EXACT = 8
"""The most names whose shares are exact; more of them act in one order alone, that of the expression."""


def shares_of_product(values: Sequence[float], opened: Sequence[float]) -> list[float]:
    """Return each factor's share of the difference between the product of `values` and that of `opened`.

    A factor that is not open yet counts by its value in `opened`. Exact for any number of factors.
    """
    if len(values) == 1:
        return [values[0] - opened[0]]
    if len(values) == 2:
        (a, b), (x, y) = values, opened
        return [(a - x) * (b + y) / 2, (b - y) * (a + x) / 2]
    return [
        (value - top) * _mean_product([*values[:at], *values[at + 1 :]], [*opened[:at], *opened[at + 1 :]])
        for at, (value, top) in enumerate(zip(values, opened, strict=True))
    ]


def _mean_product(values: Sequence[float], opened: Sequence[float]) -> float:
    """Return the mean, over all orders, of the product of the earlier factors' `values` and the later ones' `opened`.

    Coefficient s of the product of (opened + value * z) sums the products of all sets of s factors that came before.
    """
    sums = [1.0]
    for value, top in zip(values, opened, strict=True):
        sums = [
            (top * sums[at] if at < len(sums) else 0.0) + (value * sums[at - 1] if at else 0.0)
            for at in range(len(sums) + 1)
        ]
    count = len(values)
    return math.fsum(total / math.comb(count, size) for size, total in enumerate(sums)) / (count + 1)


def shares(
    run: Callable[[Mapping[str, float]], float], values: Mapping[str, float], compared: Mapping[str, float]
) -> dict[str, float]:
    """Return each name's share of run(values) - run(compared).

    The shares are exact if at most 8 names differ from what they are compared with; `run` is then called 2^n times.
    """
    names = [name for name in values if values[name] != compared[name]]
    by_name = dict.fromkeys(values, 0.0)
    if len(names) > EXACT:
        by_name.update(_in_order(run, names, values, compared))
        return by_name
    results = [
        run({**compared, **{name: values[name] for at, name in enumerate(names) if chosen >> at & 1}})
        for chosen in range(1 << len(names))
    ]
    count = len(names)
    for at, name in enumerate(names):
        without = (chosen for chosen in range(1 << count) if not chosen >> at & 1)
        by_name[name] = math.fsum(
            (results[chosen | 1 << at] - results[chosen]) / (count * math.comb(count - 1, chosen.bit_count()))
            for chosen in without
        )
    return by_name


def _in_order(
    run: Callable[[Mapping[str, float]], float],
    names: Sequence[str],
    values: Mapping[str, float],
    compared: Mapping[str, float],
) -> dict[str, float]:
    now, before, by_name = dict(compared), run(compared), {}
    for name in names:
        now[name] = values[name]
        after = run(now)
        by_name[name], before = after - before, after
    return by_name


Columns = Mapping[str, Sequence[float]]
"""Name -> n values that the total saw."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TotalParts:
    """The parts of n totals.

    by_name: name -> n parts; constant: the same for all n; means: name -> mean, of the names that are compared with it.
    """

    by_name: Mapping[str, Sequence[float]]
    constant: float
    means: Mapping[str, float]


class Decomposition:
    """The decomposition of an expression, which gives the parts of its totals.

    tops: name -> the upper end of its declared range, if it is open as a gate. weights: name -> the sum of its
    weights, with all gates open. gates: the names that are gates somewhere. mixed: those that are compared with the
    mean of their group. A name can be in several of them.
    """

    def __init__(self, expression: Expression, tops: Mapping[str, float]) -> None:
        self.names = expression.names
        self._terms = terms_of(expression.tree)
        self._tops = tops
        self.weights: dict[str, float] = {}
        self.gates: dict[str, None] = {}
        self.mixed: dict[str, None] = {}
        self._note(self._terms, 1.0)

    def at(self, expression: Expression) -> "Decomposition":
        """Return the decomposition of another expression over the same components."""
        return Decomposition(expression, self._tops)

    def parts(self, columns: Columns) -> TotalParts:
        """Return the parts of n totals, from the n values of each name.

        ArithmeticError if a mixed part has no value at a mean.
        """
        means = {name: mean(columns[name]) for name in self.mixed} if columns and _size(columns) else {}
        parts = {name: [0.0] * _size(columns) for name in self.names}
        constant = self._add(parts, self._terms, 1.0, columns, means)
        return TotalParts(by_name=parts, constant=constant, means=means)

    def _note(self, terms: Terms, by: float) -> None:
        for name, weight in terms.weights.items():
            self.weights[name] = self.weights.get(name, 0.0) + by * weight
        for gated in terms.gated:
            self.gates |= dict.fromkeys(gated.gates)
            self._note(gated.core, by * gated.weight * math.prod(self._opened(gated)))
        for mixed in terms.mixed:
            self.mixed |= dict.fromkeys(mixed.node.names)

    def _opened(self, gated: GatedTerm) -> list[float]:
        return [self._tops[name] ** power for name, power in gated.gates.items()]

    def _add(
        self, parts: dict[str, list[float]], terms: Terms, by: float, columns: Columns, means: Mapping[str, float]
    ) -> float:
        """Add `by` times the parts of `terms` to `parts`, and return `by` times the constant."""
        for name, weight in terms.weights.items():
            _increase(parts[name], by * weight, columns[name])
        constant = by * terms.constant
        for gated in terms.gated:
            constant += self._add_gated(parts, gated, by * gated.weight, columns, means)
        for mixed in terms.mixed:
            constant += _add_mixed(parts, mixed, by * mixed.weight, columns, means)
        return constant

    def _add_gated(
        self, parts: dict[str, list[float]], gated: GatedTerm, by: float, columns: Columns, means: Mapping[str, float]
    ) -> float:
        opened = self._opened(gated)
        size = _size(columns)
        inside: dict[str, list[float]] = defaultdict(lambda: [0.0] * size)
        constant = self._add(inside, gated.core, 1.0, columns, means)
        open_by = by * math.prod(opened)
        for name, values in inside.items():
            _increase(parts[name], open_by, values)
        gates = list(gated.gates.items())
        for at in range(size):
            core = constant + math.fsum(values[at] for values in inside.values())
            values = [columns[name][at] ** power for name, power in gates]
            for (name, _), share in zip(gates, shares_of_product(values, opened), strict=True):
                parts[name][at] += by * core * share
        return open_by * constant


def _add_mixed(
    parts: dict[str, list[float]], mixed: MixedTerm, by: float, columns: Columns, means: Mapping[str, float]
) -> float:
    names = mixed.node.names
    compared = {name: means[name] for name in names}
    for at, row in enumerate(zip(*(columns[name] for name in names), strict=True)):
        for name, share in shares(mixed.node.run, dict(zip(names, row, strict=True)), compared).items():
            parts[name][at] += by * share
    return by * mixed.node.run(compared) if compared else 0.0


def _increase(values: list[float], by: float, others: Sequence[float]) -> None:
    for at, other in enumerate(others):
        values[at] += by * other


def _size(columns: Columns) -> int:
    return len(next(iter(columns.values()), ()))


def mean(values: Sequence[float]) -> float:
    """Return the mean, which never lies outside of the values: rounding must not make equal ones differ."""
    return min(max(math.fsum(values) / len(values), min(values)), max(values))


def decomposition_of(plan: Plan) -> Decomposition:
    """Return the decomposition of a plan's total; a gate is open at the upper end of its component's declared range."""
    assert plan.expression is not None
    return Decomposition(plan.expression, {name: float(p.spec.range[1]) for name, p in plan.components.items()})
