"""The laws of a normalizer, on generated totals: ties, near ties, large totals, and pools of which some are kept."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st
from rewardlab.errors import one_line

from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.other_process import call_in_process
from rewardlab_testing.laws.normalizer_cases import ShapeCase, check_cases, generated_cases, list_numbers, usual_cases
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry

ELSEWHERE = 12
"""cases that another process is asked about"""


def finite(tested: ComponentUnderTest) -> int:
    normalizer, bounds = tested.build(), tested.spec.range

    def check(case: ShapeCase) -> None:
        values = _shape(normalizer, case)
        low, high = -math.inf, math.inf
        if bounds is not None:
            low, high = bounds(tested.options, (min(case.totals), max(case.totals)), len(case.kept))
        for value in values:
            slack = _slack(tested, [value])
            if not low - slack <= value <= high + slack:
                wanted = f"numbers from {low!r} to {high!r}, the declared range"
                raise LawViolation(f"asked {case}\ngot {list_numbers(values)}\nexpected {wanted}")

    return check_cases(tested, check)


def order(tested: ComponentUnderTest) -> int:
    normalizer = tested.build()

    def check(case: ShapeCase) -> None:
        values = _shape(normalizer, case.whole)
        slack = _slack(tested, values)
        ranked = sorted(range(len(values)), key=case.totals.__getitem__)
        for lower, higher in pairwise(ranked):
            if case.totals[lower] < case.totals[higher] and values[higher] < values[lower] - slack:
                raise LawViolation(
                    _describe_pair(case.whole, values, lower, higher, "a value that is no lower for the higher total")
                )

    return check_cases(tested, check, equal_tokens=True)


def equal(tested: ComponentUnderTest) -> int:
    normalizer = tested.build()

    def check(case: ShapeCase) -> None:
        values = _shape(normalizer, case.whole)
        slack = _slack(tested, values)
        first: dict[float, int] = {}
        for place, total in enumerate(case.totals):
            known = first.setdefault(total, place)
            if abs(values[place] - values[known]) > slack:
                raise LawViolation(_describe_pair(case.whole, values, known, place, "the same value for both"))

    return check_cases(tested, check, equal_tokens=True)


def permutation(tested: ComponentUnderTest) -> int:
    normalizer = tested.build()

    def check(both: tuple[ShapeCase, ShapeCase]) -> None:
        case, moved = both
        _same(tested, case, _shape(normalizer, case), _shape(normalizer, moved), f"{moved}, the same in another order")

    moved = generated_cases(tested).flatmap(
        lambda case: st.permutations(range(len(case.totals))).map(lambda places: (case, case.reordered(places)))
    )
    seen = search(check, moved, tries=tested.tries)
    backwards = [(case, case.reordered(range(len(case.totals))[::-1])) for case in usual_cases(tested)]
    for both in backwards:
        check(both)
    return seen + len(backwards)


def repeat(tested: ComponentUnderTest) -> int:
    normalizer, another = tested.build(), tested.build()

    def check(case: ShapeCase) -> None:
        values = _shape(normalizer, case)
        _same(tested, case, values, _shape(normalizer, case), "the same again")
        _same(tested, case, values, _shape(another, case), "the same, of a normalizer built again")

    return check_cases(tested, check)


def worker(tested: ComponentUnderTest) -> int:
    normalizer, given = tested.build(), list(usual_cases(tested))
    search(given.append, generated_cases(tested), tries=min(ELSEWHERE, tested.tries))
    payload = [[list(case.totals), case.tokens, list(case.kept), case.seed] for case in given]
    here = [_shape(normalizer, case) for case in given]
    there = call_in_process(tested, f"{__name__}:shaped_values", payload)
    for case, values, others in zip(given, here, there, strict=True):
        _same(tested, case, values, others, "the same, in another process")
    return len(given)


def shaped_values(normalizer: Any, payload: Sequence[Sequence[Any]]) -> list[list[float]]:
    """Return what `shape` gives for each [totals, tokens, kept, seed]; called in the other process."""
    return [[float(value) for value in normalizer.shape(*given)] for given in payload]


def kept(tested: ComponentUnderTest) -> int:
    normalizer = tested.build()

    def check(case: ShapeCase) -> None:
        if tested.spec.scales_loss:
            _same(
                tested, case, _shape(normalizer, case), _shape(normalizer, case.alone), f"{case.alone}, without others"
            )
            return
        whole = _shape(normalizer, case.whole)
        expected = [whole[place] for place in case.kept]
        _same(
            tested,
            case.whole,
            expected,
            _shape(normalizer, case),
            f"kept={list_numbers(case.kept)}",
            "at these places ",
        )

    return check_cases(tested, check)


def factor(tested: ComponentUnderTest) -> int:
    if not tested.spec.scales_loss:
        raise NothingToTry("its spec does not say that it scales the loss")
    normalizer = tested.build()

    def check(case: ShapeCase) -> None:
        values, totals = _shape(normalizer, case), [case.totals[place] for place in case.kept]
        largest = max(range(len(totals)), key=lambda index: abs(totals[index]))
        ratio = values[largest] / totals[largest] if totals[largest] else 1.0
        expected = [total * ratio for total in totals]
        slack = _slack(tested, values)
        if ratio <= 0 or any(abs(value - wanted) > slack for value, wanted in zip(values, expected, strict=True)):
            given = f"of the totals {list_numbers(totals)}"
            raise LawViolation(f"asked {case}\ngot {list_numbers(values)} {given}\nexpected one positive factor on all")
        counts = case.tokens or ()
        if any(counts[place] for place in case.kept):
            longer = replace(case, tokens=[2 * count for count in counts])
            half = [2 * value for value in _shape(normalizer, longer)]
            _same(tested, case, values, half, f"{longer}, twice as long, with each value doubled")

    return check_cases(tested, check)


def tokens(tested: ComponentUnderTest) -> int:
    normalizer, needed = tested.build(), tested.spec.needs_tokens

    def check(case: ShapeCase) -> None:
        without = replace(case, tokens=None)
        if not needed:
            _shape(normalizer, without)
            return
        try:
            given = normalizer.shape(list(without.totals), None, list(without.kept), without.seed)
        except Exception:
            return
        raise LawViolation(
            f"asked {without}\ngot {given!r}\nexpected an error: the spec says that it needs token counts"
        )

    return check_cases(tested, check)


LAWS: dict[str, Callable[[ComponentUnderTest], int]] = {
    "finite": finite,
    "order": order,
    "equal": equal,
    "permutation": permutation,
    "repeat": repeat,
    "worker": worker,
    "kept": kept,
    "factor": factor,
    "tokens": tokens,
}


def _shape(normalizer: Any, case: ShapeCase) -> list[float]:
    """Return the shaped values; raise LawViolation unless they are finite numbers, one for each place kept."""
    counts = None if case.tokens is None else list(case.tokens)
    try:
        given = normalizer.shape(list(case.totals), counts, list(case.kept), case.seed)
        values = [float(value) for value in given]
    except (Exception, SystemExit) as error:
        raise LawViolation(f"asked {case}\ngot {one_line(error)}\nexpected {len(case.kept)} numbers") from error
    if len(values) != len(case.kept) or not all(map(math.isfinite, values)):
        expected = f"{len(case.kept)} finite numbers, one for each place kept"
        raise LawViolation(f"asked {case}\ngot {list_numbers(values)}\nexpected {expected}")
    return values


def _slack(tested: ComponentUnderTest, values: Sequence[float]) -> float:
    """Return how far apart equal values may be: `laws.rounding`, times the largest value if that is above 1."""
    return tested.spec.laws.rounding * max([1.0, *map(abs, values)])


def _same(
    tested: ComponentUnderTest,
    case: ShapeCase,
    values: Sequence[float],
    others: Sequence[float],
    how: str,
    where: str = "",
) -> None:
    slack = _slack(tested, values)
    if all(abs(value - other) <= slack for value, other in zip(values, others, strict=True)):
        return
    raise LawViolation(
        f"asked {case}\ngot {where}{list(values)!r}\nthen asked {how}\ngot {list(others)!r}\nexpected the same"
    )


def _describe_pair(case: ShapeCase, values: Sequence[float], place: int, other: int, expected: str) -> str:
    got = ", ".join(f"{values[place]!r} for the total {case.totals[place]!r}" for place in (place, other))
    return f"asked {case}\ngot {got}\nexpected {expected}"
