"""The laws of a dataset; those of a data step alone are in step_laws.py. The first MOST_ROWS rows are looked at."""

import copy
import json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import islice
from typing import Any

from rewardlab.rows import remap
from rewardlab.testing import step_laws
from rewardlab.testing.elsewhere import answered_elsewhere
from rewardlab.testing.outcome import Broken, NothingToTry, Untried
from rewardlab.testing.rows_read import MOST_ROWS, Source, iterated, listed, read, row_as_json, source_of
from rewardlab.testing.told import cut
from rewardlab.testing.trial import Trial
from rewardlab.types import Sample

ELSEWHERE = 200
"""rows that another process makes"""
MOST_COUNTED = 5000
"""rows whose work is counted"""
ENOUGH = 20
"""rows without which nobody sees whether the first waits for the last"""


def samples(tested: Trial) -> int:
    """Each row is what it was when it was read, once all are; and so are those of a step's source."""
    source = copy.deepcopy(source_of(tested)) if tested.spec.step else []
    rows = _staying(tested)
    for number, (one, before) in enumerate(zip(source_of(tested) if source else [], source, strict=True), 1):
        if one != before:
            raise Broken(f"row {number} of the source was {cut(before)}\nafter a pass it is {cut(one)}")
    for number, row in enumerate(rows, 1):
        if wrong := _wrong(row):
            raise Broken(f"row {number}: {cut(row)}\nexpected {wrong}")
    return len(rows)


def ids(tested: Trial) -> int:
    """An empty id is none: the host then makes one of the prompt."""
    rows, first = _rows(tested), dict[str, int]()
    for number, row in enumerate(rows, 1):
        if row.id and (known := first.setdefault(row.id, number)) != number:
            raise Broken(f"rows {known} and {number} have the id {row.id!r}\nexpected one row with it")
    return len(rows)


def again(tested: Trial) -> int:
    """Also while an earlier pass is under way, and after one that was left."""
    dataset = _built(tested)
    rows = read(dataset)
    with iterated(dataset) as under_way:
        first = next(under_way, None)
        for what in ("iterated again", "iterated a third time"):
            _same(rows, read(dataset), what)
        if rows and first != rows[0]:
            raise Broken(f"the first row is {cut(rows[0])}\niterated again\ngot first {cut(first)}")
        _same(rows[1:], list(islice(under_way, MOST_ROWS - 1)), "from row 2 on, after other passes")
    return len(rows)


def seed(tested: Trial) -> int:
    here = read(_built(tested), ELSEWHERE)
    there = answered_elsewhere(tested, f"{__name__}:rows_there", ELSEWHERE)
    _same([row_as_json(row) for row in here], there, "in another process")
    return len(here)


def rows_there(dataset: Iterable[Sample], most: int) -> list[Any]:
    """The first rows, as JSON."""
    return [row_as_json(row) for row in read(dataset, most)]


def streaming(tested: Trial) -> int:
    """Of a step: how much of a long source is read when its first row is out.

    Of another: how much of the work is done by then, in calls that the interpreter makes for the rows looked at.
    """
    if tested.spec.step:
        return step_laws.streaming(tested)
    _rows(tested)  # what is loaded once and for all is no work of a row
    done, work, count = 0, 0, 0
    dataset = _built(tested)
    for count, made in enumerate(_counted(dataset), 1):
        done, work = (made, made) if count == 1 else (done, made)
    if count < ENOUGH:
        raise Untried(f"needs options under which it has {ENOUGH} rows or more; it has {count}")
    if 2 * done > work:
        raise Broken(
            f"when its first row of {count} was out, {done:,} of {work:,} calls had been made\n"
            "expected less than half; where opening it takes as many, give the example more rows"
        )
    return count


def provides(tested: Trial) -> int:
    wanted = tested.spec.provided_fields(tested.options)
    if wanted is None:
        raise NothingToTry("its spec leaves the fields to be found by reading")
    if not wanted:
        raise NothingToTry("its spec names no fields that it provides")
    rows = _rows(tested)
    for number, row in enumerate(rows, 1):
        if lacking := [name for name in wanted if name not in row.fields]:
            there = ", ".join(map(repr, row.fields)) or "none"
            raise Broken(f"row {number} lacks {lacking[0]!r}; its fields: {there}\nexpected {listed(wanted)}")
    return len(rows)


Law = Callable[[Trial], int]


def _quietly(law: Law) -> Law:
    """What a dataset says of left-out rows at the end of every pass is no news here."""

    @wraps(law)
    def quiet(tested: Trial) -> int:
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


def _built(tested: Trial) -> Any:
    return tested.built(source=Source(source_of(tested))) if tested.spec.step else tested.built()


def _rows(tested: Trial) -> list[Sample]:
    """At least one."""
    rows = read(_built(tested))
    if not rows:
        raise Broken("it has no rows\nexpected some under the options of an example")
    return rows


def _staying(tested: Trial) -> list[Sample]:
    """As `_rows`; Broken where a row changes while others are read."""
    rows: list[Sample] = []
    as_read: list[Sample] = []
    with iterated(_built(tested)) as under_way:
        for row in islice(under_way, MOST_ROWS):
            rows.append(row)
            as_read.append(copy.deepcopy(row))
    for number, (row, before) in enumerate(zip(rows, as_read, strict=True), 1):
        if row != before:
            raise Broken(f"row {number} was {cut(before)}\nonce all were read it is {cut(row)}\nexpected it to stay")
    return rows or _rows(tested)


def _wrong(row: Any) -> str | None:
    """What it should be instead."""
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


def _same(rows: Sequence[Any], others: Sequence[Any], what: str) -> None:
    for number, (row, other) in enumerate(zip(rows, others, strict=False), 1):
        if row != other:
            raise Broken(f"row {number} is {cut(row)}\n{what}\ngot {cut(other)}\nexpected the same")
    if len(rows) != len(others):
        raise Broken(f"it has {len(rows)} rows\n{what}\ngot {len(others)}\nexpected the same")


def _counted(dataset: Iterable[Sample]) -> Iterator[int]:
    """For each row, how many calls were made until it was out."""
    calls, ours = 0, sys._getframe().f_code

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call") and frame.f_code is not ours

    if sys.getprofile() is not None:
        raise Untried("counts calls as a profiler does, and one is at work")
    rows: Iterator[Sample] | None = None
    try:
        for _ in range(MOST_COUNTED):
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
