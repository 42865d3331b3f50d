"""The laws of a dataset, for its first MAX_ROWS rows; those that only a data step has are in step_laws.py."""

import copy
import json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import islice
from typing import Any

from rewardlab import Sample
from rewardlab.data import remap

from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.dataset_rows import (
    MAX_ROWS,
    StepSource,
    list_names,
    open_rows,
    read_rows,
    row_as_json,
    source_samples,
)
from rewardlab_testing.harness.other_process import call_in_process
from rewardlab_testing.laws import step_laws
from rewardlab_testing.outcomes.messages import cut
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry, UnmetNeed

ELSEWHERE = 200
"""rows that another process makes"""
MAX_COUNTED = 5000
"""rows whose work is counted"""
ENOUGH = 20
"""with fewer rows it does not show whether the first waits for the last"""


def samples(tested: ComponentUnderTest) -> int:
    """Check each row's form, and that once all are read no row has changed, nor a sample of a step's source."""
    source = copy.deepcopy(source_samples(tested)) if tested.spec.step else []
    rows = _unchanging_rows(tested)
    for number, (sample, before) in enumerate(zip(source_samples(tested) if source else [], source, strict=True), 1):
        if sample != before:
            raise LawViolation(f"row {number} of the source was {cut(before)}\nafter a pass it is {cut(sample)}")
    for number, row in enumerate(rows, 1):
        if expected := _expected(row):
            raise LawViolation(f"row {number}: {cut(row)}\nexpected {expected}")
    return len(rows)


def ids(tested: ComponentUnderTest) -> int:
    rows, first = _rows(tested), dict[str, int]()
    for number, row in enumerate(rows, 1):
        # rows may have empty ids: the host then makes one from the prompt
        if row.id and (known := first.setdefault(row.id, number)) != number:
            raise LawViolation(f"rows {known} and {number} have the id {row.id!r}\nexpected one row with it")
    return len(rows)


def again(tested: ComponentUnderTest) -> int:
    """Compare passes, also while an earlier pass is under way and after one that was left."""
    dataset = _build(tested)
    rows = read_rows(dataset)
    with open_rows(dataset) as under_way:
        first = next(under_way, None)
        for how in ("iterated again", "iterated a third time"):
            _same(rows, read_rows(dataset), how)
        if rows and first != rows[0]:
            raise LawViolation(f"the first row is {cut(rows[0])}\niterated again\ngot first {cut(first)}")
        _same(rows[1:], list(islice(under_way, MAX_ROWS - 1)), "from row 2 on, after other passes")
    return len(rows)


def seed(tested: ComponentUnderTest) -> int:
    here = read_rows(_build(tested), ELSEWHERE)
    there = call_in_process(tested, f"{__name__}:first_rows_as_json", ELSEWHERE)
    _same([row_as_json(row) for row in here], there, "in another process")
    return len(here)


def first_rows_as_json(dataset: Iterable[Sample], most: int) -> list[Any]:
    """Return the first `most` rows as JSON values; called in the other process."""
    return [row_as_json(row) for row in read_rows(dataset, most)]


def streaming(tested: ComponentUnderTest) -> int:
    """Look at how much is done when the first row is out.

    For a step that is how much of a long source has been read; for another dataset the share of the work, in function
    calls that the interpreter makes for the rows looked at.
    """
    if tested.spec.step:
        return step_laws.streaming(tested)
    _rows(tested)  # what is loaded once and for all is not work of a row
    done, work, count = 0, 0, 0
    dataset = _build(tested)
    for count, calls in enumerate(_calls_by_row(dataset), 1):
        done, work = (calls, calls) if count == 1 else (done, calls)
    if count < ENOUGH:
        raise UnmetNeed(f"needs options under which it has {ENOUGH} rows or more; it has {count}")
    if 2 * done > work:
        raise LawViolation(
            f"when its first row of {count} was out, {done:,} of {work:,} calls had been made\n"
            "expected less than half; if opening it takes as many, give the example more rows"
        )
    return count


def provides(tested: ComponentUnderTest) -> int:
    wanted = tested.spec.provided_fields(tested.options)
    if wanted is None:
        raise NothingToTry("its spec leaves the fields to be found by reading")
    if not wanted:
        raise NothingToTry("its spec names no fields that it provides")
    rows = _rows(tested)
    for number, row in enumerate(rows, 1):
        if missing := [name for name in wanted if name not in row.fields]:
            fields = list_names(row.fields) or "none"
            raise LawViolation(
                f"row {number} lacks {missing[0]!r}; its fields: {fields}\nexpected {list_names(wanted)}"
            )
    return len(rows)


Law = Callable[[ComponentUnderTest], int]


def _quietly(law: Law) -> Law:
    """Return the law with warnings off: what a dataset logs about left-out rows after every pass is not news here."""

    @wraps(law)
    def quiet(tested: ComponentUnderTest) -> int:
        before = logging.root.manager.disable
        logging.disable(max(before, logging.WARNING))
        try:
            return law(tested)
        finally:
            logging.disable(before)

    return quiet


LAWS: dict[str, Law] = {
    "samples": _quietly(samples),
    "ids": _quietly(ids),
    "again": _quietly(again),
    "seed": _quietly(seed),
    "streaming": _quietly(streaming),
    "provides": _quietly(provides),
    "required": _quietly(step_laws.required),
    "going_on": _quietly(step_laws.going_on),
    "makes": _quietly(step_laws.makes),
}


def _build(tested: ComponentUnderTest) -> Any:
    return tested.build(source=StepSource(source_samples(tested))) if tested.spec.step else tested.build()


def _rows(tested: ComponentUnderTest) -> list[Sample]:
    """Return the rows; raise LawViolation if there is none."""
    rows = read_rows(_build(tested))
    if not rows:
        raise LawViolation("it has no rows\nexpected some under the options of an example")
    return rows


def _unchanging_rows(tested: ComponentUnderTest) -> list[Sample]:
    """Return the rows; raise LawViolation if there is none, or if one changes while others are read."""
    rows: list[Sample] = []
    as_read: list[Sample] = []
    with open_rows(_build(tested)) as under_way:
        for row in islice(under_way, MAX_ROWS):
            rows.append(row)
            as_read.append(copy.deepcopy(row))
    for number, (row, before) in enumerate(zip(rows, as_read, strict=True), 1):
        if row != before:
            raise LawViolation(
                f"row {number} was {cut(before)}\nonce all were read it is {cut(row)}\nexpected it to stay"
            )
    return rows or _rows(tested)


def _expected(row: Any) -> str | None:
    """Return what the row should be instead; None if nothing is wrong with it."""
    if not isinstance(row, Sample):
        return "a rewardlab.Sample"
    if not isinstance(row.id, str) or not isinstance(row.source, str):
        return "texts as its id and source"
    if isinstance(row.prompt, str):
        return "a prompt of messages, not a text"
    try:
        remap(row, {})
    except ValueError as error:
        return f"a prompt of messages: {error}"
    try:
        same = json.loads(json.dumps(dict(row.fields), allow_nan=False)) == dict(row.fields)
    except (TypeError, ValueError) as error:
        return f"fields of JSON values: {error}"
    return None if same else "fields of JSON values: lists, not tuples, and keys that are texts"


def _same(rows: Sequence[Any], others: Sequence[Any], how: str) -> None:
    for number, (row, other) in enumerate(zip(rows, others, strict=False), 1):
        if row != other:
            raise LawViolation(f"row {number} is {cut(row)}\n{how}\ngot {cut(other)}\nexpected the same")
    if len(rows) != len(others):
        raise LawViolation(f"it has {len(rows)} rows\n{how}\ngot {len(others)}\nexpected the same")


def _calls_by_row(dataset: Iterable[Sample]) -> Iterator[int]:
    """Yield for each row how many function calls were made until it was out."""
    calls, own_code = 0, sys._getframe().f_code

    def count(frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call") and frame.f_code is not own_code

    if sys.getprofile() is not None:
        raise UnmetNeed("counts calls as a profiler does, and one is at work")
    rows: Iterator[Sample] | None = None
    try:
        for _ in range(MAX_COUNTED):
            sys.setprofile(count)
            try:
                rows = iter(dataset) if rows is None else rows
                row = next(rows, None)
            finally:
                sys.setprofile(None)
            if row is None:
                return
            yield calls
    finally:
        getattr(rows, "close", lambda: None)()
