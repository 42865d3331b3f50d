"""The laws of a curriculum: of its order of samples here, of its group sampler in sampler_laws.py."""

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from rewardlab.errors import one_line
from rewardlab.testing import sampler_laws
from rewardlab.testing.elsewhere import answered_elsewhere
from rewardlab.testing.outcome import Broken, NothingToTry
from rewardlab.testing.rows_read import row_as_json
from rewardlab.testing.searching import search
from rewardlab.testing.trial import Trial
from rewardlab.types import Sample

ELSEWHERE = 12
"""cases that another process is asked"""
SHOWN = 12
"""samples in a failing example"""

Case = tuple[list[Sample], int]
"""Samples and a seed."""


def order(tested: Trial) -> int:
    """Also of no sample and of one, where nobody generates them."""
    curriculum = _ordering(tested)

    def check(case: Case) -> None:
        samples, _ = case
        given = _order(curriculum, case)
        if sorted(given) != list(range(len(samples))):
            what = "no index" if not samples else f"each of 0 to {len(samples) - 1} once"
            raise Broken(f"asked {_told(case)}\ngot {given!r}\nexpected {what}")

    some = _some(tested)
    for first in ([], some[:1]):
        check((first, 0))
    return 2 + search(check, _cases(tested), tries=tested.tries)


def repeat(tested: Trial) -> int:
    curriculum, another = _ordering(tested), _ordering(tested)

    def check(case: Case) -> None:
        first = _order(curriculum, case)
        _same(case, first, _order(curriculum, case), "the same again")
        _same(case, first, _order(another, case), "the same, of a curriculum built again")

    return search(check, _cases(tested), tries=tested.tries)


def worker(tested: Trial) -> int:
    curriculum = _built(tested)
    ordered = _order_there(tested, curriculum) if hasattr(curriculum, "order") else 0
    return ordered + (sampler_laws.worker(tested, curriculum) if hasattr(curriculum, "more") else 0)


def _order_there(tested: Trial, curriculum: Any) -> int:
    cases: list[Case] = []
    search(cases.append, _cases(tested), tries=min(ELSEWHERE, tested.tries))
    here = [_order(curriculum, case) for case in cases]
    payload = [[[_row(sample) for sample in samples], seed] for samples, seed in cases]
    there = answered_elsewhere(tested, f"{__name__}:ordered_there", payload)
    for case, first, then in zip(cases, here, there, strict=True):
        _same(case, first, then, "the same, in another process")
    return len(cases)


def ordered_there(curriculum: Any, payload: Sequence[Sequence[Any]]) -> list[list[int]]:
    """`order` of each [rows, seed]."""
    return [list(curriculum.order([_sample(row) for row in rows], seed)) for rows, seed in payload]


def untouched(tested: Trial) -> int:
    curriculum = _ordering(tested)

    def check(case: Case) -> None:
        samples, seed = case
        before = copy.deepcopy(samples)
        _order(curriculum, (samples, seed), as_it_is=True)
        if samples != before:
            raise Broken(f"asked {_told((before, seed))}\nfound the samples after it: {_shown(samples)}")

    return search(check, _cases(tested).map(copy.deepcopy), tries=tested.tries)


LAWS: dict[str, Callable[[Trial], int]] = {
    "order": order,
    "repeat": repeat,
    "worker": worker,
    "untouched": untouched,
    "more": sampler_laws.more,
    "select": sampler_laws.select,
    "arrival": sampler_laws.arrival,
}


def _built(tested: Trial) -> Any:
    curriculum = tested.built()
    if not any(callable(getattr(curriculum, part, None)) for part in ("order", "more")):
        kind = type(curriculum).__name__
        raise Broken(f"`build` gave {kind}\nexpected an object with `order`, or with `more` and `select`")
    return curriculum


def _ordering(tested: Trial) -> Any:
    curriculum = _built(tested)
    if not hasattr(curriculum, "order"):
        raise NothingToTry("it is a group sampler alone: it has no `order`")
    return curriculum


def _order(curriculum: Any, case: Case, as_it_is: bool = False) -> list[int]:
    """What `order` gives. as_it_is: for the samples themselves, not a list of its own."""
    samples, seed = case
    try:
        given = list(curriculum.order(samples if as_it_is else list(samples), seed))
    except (Exception, SystemExit) as error:
        raise Broken(f"asked {_told(case)}\ngot {one_line(error)}\nexpected indices") from error
    if not all(type(index) is int for index in given):
        raise Broken(f"asked {_told(case)}\ngot {given!r}\nexpected a list of whole numbers")
    return given


def _same(case: Case, first: Sequence[int], then: Sequence[int], what: str) -> None:
    if list(first) != list(then):
        raise Broken(f"asked {_told(case)}\ngot {list(first)!r}\nthen asked {what}\ngot {list(then)!r}")


def _some(tested: Trial) -> list[Sample]:
    return list(tested.example.samples) or [Sample(id="a", prompt=({"role": "user", "content": "1 + 1?"},))]


def _cases(tested: Trial) -> st.SearchStrategy[Case]:
    """The example's samples, some of them in some order; generated ones where it has none. Ids are unique."""
    seeds = st.integers(0, 2**31 - 1)
    if known := list(tested.example.samples):
        places = st.lists(st.integers(0, len(known) - 1), max_size=len(known))
        return st.tuples(places.map(lambda chosen: _rows_of([known[place] for place in chosen])), seeds)
    made = st.builds(
        lambda name, text: Sample(id=name, prompt=({"role": "user", "content": text},), source=f"rows.jsonl:{name}"),
        st.text("abcdé漢0123-", min_size=1, max_size=6),
        st.text(max_size=12),
    )
    return st.tuples(st.lists(made, unique_by=lambda sample: sample.id, max_size=12), seeds)


def _rows_of(samples: Sequence[Sample]) -> list[Sample]:
    """Samples, some of which come again: rows that differ in their ids alone."""
    counts: Counter[str] = Counter()
    rows = []
    for sample in samples:
        counts[sample.id] += 1
        again = counts[sample.id] > 1
        rows.append(replace(sample, id=f"{sample.id}#{counts[sample.id]}") if again else sample)
    return rows


def _row(sample: Sample) -> dict[str, Any]:
    return {**row_as_json(sample), "source": sample.source}


def _sample(row: dict[str, Any]) -> Sample:
    return Sample(**{**row, "prompt": tuple(row["prompt"])})


def _told(case: Case) -> str:
    samples, seed = case
    return f"order(samples={_shown(samples)}, seed={seed})"


def _shown(samples: Sequence[Sample]) -> str:
    """Samples by their ids, and their fields where they have some."""
    named = [repr(sample.id) + (f" {dict(sample.fields)!r}" if sample.fields else "") for sample in samples[:SHOWN]]
    more = f", ... ({len(samples)} of them)" if len(samples) > SHOWN else ""
    return f"[{', '.join(named)}{more}]"
