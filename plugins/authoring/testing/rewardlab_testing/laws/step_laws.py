"""The laws of a data step, which makes its rows from those of another dataset; other datasets have nothing to try."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from rewardlab import Ask, Reply, Sample

from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.dataset_rows import StepSource, list_names, open_rows, read_rows, source_samples
from rewardlab_testing.outcomes.messages import cut
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry

LONG = 4096
"""samples of a source so long that no step should read all of it before its first row"""
STILL_S = 0.1
"""if no further sample is read for so long, a step has begun all that it does at once"""
UNUSABLE = (Reply(finish_reason="stop"), Reply(error="no answer"), Reply(error="too long", refused=True))
"""replies with which no step can do anything"""
PARTS = 6
"""parts of a source that are tried: each takes two passes"""


def streaming(tested: ComponentUnderTest) -> int:
    """Count the samples read before the first row is out.

    Judges answer once the step reads no further, so that what it keeps under way at once is counted, too.
    """
    samples = source_samples(tested)
    source = StepSource([_again(samples[index % len(samples)], index // len(samples)) for index in range(LONG)])
    judges = {name: _WaitingJudge(judge, source) for name, judge in tested.judges.items()}
    with open_rows(tested.build(source=source, judges=judges)) as rows:
        first = next(rows, None)
    if first is None:
        raise LawViolation(f"of a source of {LONG} samples it made no row\nexpected some")
    if source.taken >= LONG:
        raise LawViolation(
            f"its first row was out when all {LONG} samples of its source had been read\nexpected it earlier"
        )
    return 1


def required(tested: ComponentUnderTest) -> int:
    """Check that a source fails which lacks a required field in its first row or in its last."""
    _require_step(tested)
    samples, fields = source_samples(tested), tested.spec.required_fields(tested.options)
    if not fields:
        raise NothingToTry("it requires no field")
    places = dict.fromkeys([0, len(samples) - 1])
    for field in fields:
        for place in places:
            source = [_without(sample, field) if k == place else sample for k, sample in enumerate(samples)]
            try:
                rows = read_rows(tested.build(source=StepSource(source)))
            except Exception:
                continue
            raise LawViolation(
                f"of a source whose row {place + 1} of {len(samples)} lacks {field!r}\n"
                f"got {len(rows)} rows and no error\nexpected an error"
            )
    return len(fields) * len(places)


def going_on(tested: ComponentUnderTest) -> int:
    """Check that the rows of any part of the source and those of the rest are together those of the whole."""
    _require_step(tested)
    samples = source_samples(tested)
    whole = {row.id: row for row in read_rows(tested.build(source=StepSource(samples)))}

    def check(chosen: list[bool]) -> None:
        halves = [
            [sample for sample, here in zip(samples, chosen, strict=True) if here is which] for which in (True, False)
        ]
        parts = [part for part in halves if part]
        made = [row for part in parts for row in _rows_of_part(tested, part, whole)]
        if missing := [name for name in whole if name not in {row.id for row in made}]:
            names = " and of ".join(map(_list_ids, parts))
            raise LawViolation(
                f"of the source rows {names}\ngot {len(made)} rows\n"
                f"of all\ngot {len(whole)}, these too: {list_names(missing)}"
            )

    each = st.lists(st.booleans(), min_size=len(samples), max_size=len(samples))
    return search(check, each, tries=min(PARTS, tested.tries))


def _require_step(tested: ComponentUnderTest) -> None:
    if not tested.spec.step:
        raise NothingToTry("it is not a data step")


def _rows_of_part(tested: ComponentUnderTest, part: Sequence[Sample], whole: Mapping[str, Sample]) -> list[Sample]:
    """Return the rows of a part of the source; raise LawViolation unless the whole has them, in the same order."""
    rows, order = read_rows(tested.build(source=StepSource(part))), list(whole)
    for row in rows:
        if row != whole.get(row.id):
            known = cut(whole[row.id]) if row.id in whole else f"no row with the id {row.id!r}"
            raise LawViolation(f"of the source rows {_list_ids(part)}\ngot {cut(row)}\nof all\ngot {known}")
    places = [order.index(row.id) for row in rows]
    if places != sorted(places):
        ids = list_names(row.id for row in rows)
        expected = list_names(order)
        raise LawViolation(f"of the source rows {_list_ids(part)}\ngot rows in the order {ids}\nexpected {expected}")
    return rows


def makes(tested: ComponentUnderTest) -> int:
    """Count rows and questions, also if judges have no usable answer: a step may then ask again."""
    _require_step(tested)
    samples = source_samples(tested)
    counts = list(dict.fromkeys((1, len(samples))))
    for count in counts:
        judges = {name: _CountingJudge(judge) for name, judge in tested.judges.items()}
        rows = read_rows(tested.build(source=StepSource(samples[:count]), judges=judges))
        most = tested.spec.makes(tested.options, count) if tested.spec.makes else count
        _check_at_most(most, len(rows), "rows", count, "makes" if tested.spec.makes else "without `makes`, as many")
        _check_questions(tested, count, judges)
        for reply in UNUSABLE if judges else ():
            judges = {name: _CountingJudge(_ConstantJudge(reply)) for name in judges}
            with suppress(Exception):  # it may well give up
                read_rows(tested.build(source=StepSource(samples[:count]), judges=judges))
            _check_questions(tested, count, judges)
    return len(counts)


def _check_questions(tested: ComponentUnderTest, count: int, judges: Mapping[str, "_CountingJudge"]) -> None:
    if tested.spec.calls is not None:
        asked = sum(judge.asked for judge in judges.values())
        _check_at_most(tested.spec.calls(tested.options, count), asked, "questions", count, "calls")


def _check_at_most(most: int, number: int, unit: str, count: int, declared_by: str) -> None:
    if number > most:
        rows = "1 row" if count == 1 else f"{count} rows"
        expected = f"{most} at most, as its spec says ({declared_by})"
        raise LawViolation(f"of a source of {rows}\ngot {number} {unit}\nexpected {expected}")


class _CountingJudge:
    """A judge that counts its questions. asked: how many there were."""

    def __init__(self, judge: Any) -> None:
        self._judge = judge
        self.asked = 0

    async def ask(self, ask: Ask) -> Reply:
        self.asked += 1
        return await self._judge.ask(ask)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._judge, name)


class _ConstantJudge:
    """A judge that gives every question the same reply."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    async def ask(self, ask: Ask) -> Reply:
        return self._reply


class _WaitingJudge:
    """A judge that does not answer before the source has stood still for STILL_S."""

    def __init__(self, judge: Any, source: StepSource) -> None:
        self._judge, self._source = judge, source
        self._waits = True

    async def ask(self, ask: Ask) -> Reply:
        taken = None
        while self._waits and taken != self._source.taken:
            taken = self._source.taken
            await asyncio.sleep(STILL_S)
        self._waits = False
        return await self._judge.ask(ask)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._judge, name)


def _again(sample: Sample, turn: int) -> Sample:
    """Return the sample, under an id of its own if this is not its first turn."""
    return sample if turn == 0 else replace(sample, id=f"{sample.id}-again-{turn}")


def _without(sample: Sample, field: str) -> Sample:
    return replace(sample, fields={name: value for name, value in sample.fields.items() if name != field})


def _list_ids(samples: Sequence[Sample]) -> str:
    return f"[{list_names(sample.id for sample in samples)}]"
