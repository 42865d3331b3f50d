"""Shapley values: shares of what several names did together, as the mean over all orders in which they could act.

Shapley (1953), A value for n-person games. The shares add up to the difference between all names having acted and none;
a name that changes nothing gets 0, and two that do the same get the same.
"""

import math
from collections.abc import Callable, Mapping, Sequence

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
    found = dict.fromkeys(values, 0.0)
    if len(names) > EXACT:
        found.update(_in_order(run, names, values, compared))
        return found
    results = [
        run({**compared, **{name: values[name] for at, name in enumerate(names) if chosen >> at & 1}})
        for chosen in range(1 << len(names))
    ]
    count = len(names)
    for at, name in enumerate(names):
        without = (chosen for chosen in range(1 << count) if not chosen >> at & 1)
        found[name] = math.fsum(
            (results[chosen | 1 << at] - results[chosen]) / (count * math.comb(count - 1, chosen.bit_count()))
            for chosen in without
        )
    return found


def _in_order(
    run: Callable[[Mapping[str, float]], float],
    names: Sequence[str],
    values: Mapping[str, float],
    compared: Mapping[str, float],
) -> dict[str, float]:
    now, before, found = dict(compared), run(compared), {}
    for name in names:
        now[name] = values[name]
        after = run(now)
        found[name], before = after - before, after
    return found
