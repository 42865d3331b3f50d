"""The laws of a curriculum: those of its order of samples are here, those of its group sampler in sampler_laws.py."""

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from rewardlab import Sample
from rewardlab.errors import one_line

from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.other_process import call_in_process
from rewardlab_testing.laws import sampler_laws
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry

ELSEWHERE = 12
"""cases that another process is asked about"""
SHOWN = 12
"""samples in a failing example"""

OrderCase = tuple[list[Sample], int]
"""Samples to order, and a seed."""


def order(tested: ComponentUnderTest) -> int:
    """Check the order of generated cases, and of no sample and of one, which the generator may not give."""
    curriculum = _build_ordering(tested)

    def check(case: OrderCase) -> None:
        samples, _ = case
        given = _ask_order(curriculum, case)
        if sorted(given) != list(range(len(samples))):
            wanted = "no index" if not samples else f"each of 0 to {len(samples) - 1} once"
            raise LawViolation(f"asked {_describe_case(case)}\ngot {given!r}\nexpected {wanted}")

    of_example = _samples(tested)
    for first in ([], of_example[:1]):
        check((first, 0))
    return 2 + search(check, _cases(tested), tries=tested.tries)


def repeat(tested: ComponentUnderTest) -> int:
    curriculum, another = _build_ordering(tested), _build_ordering(tested)

    def check(case: OrderCase) -> None:
        first = _ask_order(curriculum, case)
        _same(case, first, _ask_order(curriculum, case), "the same again")
        _same(case, first, _ask_order(another, case), "the same, of a curriculum built again")

    return search(check, _cases(tested), tries=tested.tries)


def worker(tested: ComponentUnderTest) -> int:
    curriculum = _build(tested)
    ordered = _order_there(tested, curriculum) if hasattr(curriculum, "order") else 0
    return ordered + (sampler_laws.worker(tested, curriculum) if hasattr(curriculum, "more") else 0)


def _order_there(tested: ComponentUnderTest, curriculum: Any) -> int:
    cases: list[OrderCase] = []
    search(cases.append, _cases(tested), tries=min(ELSEWHERE, tested.tries))
    here = [_ask_order(curriculum, case) for case in cases]
    payload = [[[sample.as_dict() for sample in samples], seed] for samples, seed in cases]
    there = call_in_process(tested, f"{__name__}:orders_as_json", payload)
    for case, first, then in zip(cases, here, there, strict=True):
        _same(case, first, then, "the same, in another process")
    return len(cases)


def orders_as_json(curriculum: Any, payload: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Return what `order` gives for each [rows, seed]; called in the other process."""
    return [list(curriculum.order([_sample(row) for row in rows], seed)) for rows, seed in payload]


def untouched(tested: ComponentUnderTest) -> int:
    curriculum = _build_ordering(tested)

    def check(case: OrderCase) -> None:
        samples, seed = case
        before = copy.deepcopy(samples)
        _ask_order(curriculum, (samples, seed), as_it_is=True)
        if samples != before:
            raise LawViolation(
                f"asked {_describe_case((before, seed))}\nfound the samples after it: {_describe_samples(samples)}"
            )

    return search(check, _cases(tested).map(copy.deepcopy), tries=tested.tries)


LAWS: dict[str, Callable[[ComponentUnderTest], int]] = {
    "order": order,
    "repeat": repeat,
    "worker": worker,
    "untouched": untouched,
    "more": sampler_laws.more,
    "select": sampler_laws.select,
    "arrival": sampler_laws.arrival,
}


def _build(tested: ComponentUnderTest) -> Any:
    curriculum = tested.build()
    if not any(callable(getattr(curriculum, part, None)) for part in ("order", "more")):
        kind = type(curriculum).__name__
        raise LawViolation(f"`build` gave {kind}\nexpected an object with `order`, or with `more` and `select`")
    return curriculum


def _build_ordering(tested: ComponentUnderTest) -> Any:
    curriculum = _build(tested)
    if not hasattr(curriculum, "order"):
        raise NothingToTry("it is a group sampler alone: it has no `order`")
    return curriculum


def _ask_order(curriculum: Any, case: OrderCase, as_it_is: bool = False) -> list[int]:
    """Return what `order` gives. as_it_is: hand in the list of samples itself, not a copy."""
    samples, seed = case
    try:
        given = list(curriculum.order(samples if as_it_is else list(samples), seed))
    except (Exception, SystemExit) as error:
        raise LawViolation(f"asked {_describe_case(case)}\ngot {one_line(error)}\nexpected indices") from error
    if not all(type(index) is int for index in given):
        raise LawViolation(f"asked {_describe_case(case)}\ngot {given!r}\nexpected a list of whole numbers")
    return given


def _same(case: OrderCase, first: Sequence[int], then: Sequence[int], how: str) -> None:
    if list(first) != list(then):
        raise LawViolation(f"asked {_describe_case(case)}\ngot {list(first)!r}\nthen asked {how}\ngot {list(then)!r}")


def _samples(tested: ComponentUnderTest) -> list[Sample]:
    return list(tested.example.samples) or [Sample(id="a", prompt=({"role": "user", "content": "1 + 1?"},))]


def _cases(tested: ComponentUnderTest) -> st.SearchStrategy[OrderCase]:
    """Return a strategy for cases: some of the example's samples in some order; generated ones if it has none.

    Ids are unique.
    """
    seeds = st.integers(0, 2**31 - 1)
    if known := list(tested.example.samples):
        places = st.lists(st.integers(0, len(known) - 1), max_size=len(known))
        return st.tuples(places.map(lambda chosen: _with_unique_ids([known[place] for place in chosen])), seeds)
    made = st.builds(
        lambda name, text: Sample(id=name, prompt=({"role": "user", "content": text},), source=f"rows.jsonl:{name}"),
        st.text("abcdé漢0123-", min_size=1, max_size=6),
        st.text(max_size=12),
    )
    return st.tuples(st.lists(made, unique_by=lambda sample: sample.id, max_size=12), seeds)


def _with_unique_ids(samples: Sequence[Sample]) -> list[Sample]:
    """Return samples in which one that occurs again has an id of its own."""
    counts: Counter[str] = Counter()
    rows = []
    for sample in samples:
        counts[sample.id] += 1
        again = counts[sample.id] > 1
        rows.append(replace(sample, id=f"{sample.id}#{counts[sample.id]}") if again else sample)
    return rows


def _sample(row: dict[str, Any]) -> Sample:
    return Sample(**{**row, "prompt": tuple(row["prompt"])})


def _describe_case(case: OrderCase) -> str:
    samples, seed = case
    return f"order(samples={_describe_samples(samples)}, seed={seed})"


def _describe_samples(samples: Sequence[Sample]) -> str:
    """Return samples by their ids, with their fields if they have some."""
    names = [repr(sample.id) + (f" {dict(sample.fields)!r}" if sample.fields else "") for sample in samples[:SHOWN]]
    more = f", ... ({len(samples)} of them)" if len(samples) > SHOWN else ""
    return f"[{', '.join(names)}{more}]"
