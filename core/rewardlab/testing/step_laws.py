"""The laws of a data step, whose rows are made from those of another dataset. Of others there is nothing to try."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from rewardlab.testing.outcome import Broken, NothingToTry
from rewardlab.testing.rows_read import Source, iterated, listed, read, source_of
from rewardlab.testing.searching import search
from rewardlab.testing.told import cut
from rewardlab.testing.trial import Trial
from rewardlab.types import Ask, Reply, Sample

LONG = 4096
"""samples of a source that no step should want to see before its first row"""
STILL_S = 0.1
"""without a further sample read, after which a step has begun all that it does at once"""
UNUSABLE = (Reply(finish_reason="stop"), Reply(error="no answer"))
"""what a judge may say to everything"""
PARTS = 6
"""parts of a source that are tried: each takes two passes"""


def streaming(tested: Trial) -> int:
    """Judges answer when the step reads no further, so that what it keeps under way at once shows, too."""
    samples = source_of(tested)
    source = Source([_again(samples[index % len(samples)], index // len(samples)) for index in range(LONG)])
    judges = {name: _Waiting(judge, source) for name, judge in tested.judges.items()}
    with iterated(tested.built(source=source, judges=judges)) as rows:
        first = next(rows, None)
    if first is None:
        raise Broken(f"of a source of {LONG} samples it made no row\nexpected some")
    if source.taken >= LONG:
        raise Broken(f"its first row was out when all {LONG} samples of its source had been read\nexpected it earlier")
    return 1


def required(tested: Trial) -> int:
    """Whether the first row lacks it or the last."""
    _need_a_step(tested)
    samples, fields = source_of(tested), tested.spec.required_fields(tested.options)
    if not fields:
        raise NothingToTry("it requires no field")
    places = dict.fromkeys([0, len(samples) - 1])
    for field in fields:
        for place in places:
            lacking = [_without(sample, field) if k == place else sample for k, sample in enumerate(samples)]
            try:
                rows = read(tested.built(source=Source(lacking)))
            except Exception:
                continue
            raise Broken(
                f"of a source whose row {place + 1} of {len(samples)} lacks {field!r}\n"
                f"got {len(rows)} rows and no error\nexpected an error"
            )
    return len(fields) * len(places)


def going_on(tested: Trial) -> int:
    """The rows of any part of the source and those of the rest are together those of the whole."""
    _need_a_step(tested)
    samples = source_of(tested)
    whole = {row.id: row for row in read(tested.built(source=Source(samples)))}

    def check(chosen: list[bool]) -> None:
        halves = [[one for one, here in zip(samples, chosen, strict=True) if here is which] for which in (True, False)]
        parts = [part for part in halves if part]
        made = [row for part in parts for row in _of_part(tested, part, whole)]
        if missing := [name for name in whole if name not in {row.id for row in made}]:
            named = " and of ".join(map(_named, parts))
            raise Broken(
                f"of the source rows {named}\ngot {len(made)} rows\n"
                f"of all\ngot {len(whole)}, these too: {listed(missing)}"
            )

    each = st.lists(st.booleans(), min_size=len(samples), max_size=len(samples))
    return search(check, each, tries=min(PARTS, tested.tries))


def _need_a_step(tested: Trial) -> None:
    if not tested.spec.step:
        raise NothingToTry("it is no data step")


def _of_part(tested: Trial, part: Sequence[Sample], whole: Mapping[str, Sample]) -> list[Sample]:
    """The rows of a part of the source; Broken where they are not among those of the whole, in their order."""
    rows, order = read(tested.built(source=Source(part))), list(whole)
    for row in rows:
        if row != whole.get(row.id):
            known = cut(whole[row.id]) if row.id in whole else f"no row with the id {row.id!r}"
            raise Broken(f"of the source rows {_named(part)}\ngot {cut(row)}\nof all\ngot {known}")
    places = [order.index(row.id) for row in rows]
    if places != sorted(places):
        ids = listed(row.id for row in rows)
        raise Broken(f"of the source rows {_named(part)}\ngot rows in the order {ids}\nexpected {listed(order)}")
    return rows


def makes(tested: Trial) -> int:
    """Also where judges have no answer, or one that says nothing: then a step may ask again."""
    _need_a_step(tested)
    samples = source_of(tested)
    counts = list(dict.fromkeys((1, len(samples))))
    for count in counts:
        judges = {name: _Counted(judge) for name, judge in tested.judges.items()}
        rows = read(tested.built(source=Source(samples[:count]), judges=judges))
        most = tested.spec.makes(tested.options, count) if tested.spec.makes else count
        _no_more(count, "rows", len(rows), "makes" if tested.spec.makes else "without `makes`, as many", most)
        _asked_no_more(tested, count, judges)
        for reply in UNUSABLE if judges else ():
            judges = {name: _Counted(_Saying(reply)) for name in judges}
            with suppress(Exception):  # it may well give up
                read(tested.built(source=Source(samples[:count]), judges=judges))
            _asked_no_more(tested, count, judges)
    return len(counts)


def _asked_no_more(tested: Trial, count: int, judges: Mapping[str, "_Counted"]) -> None:
    if tested.spec.calls is not None:
        asked = sum(judge.asked for judge in judges.values())
        _no_more(count, "questions", asked, "calls", tested.spec.calls(tested.options, count))


def _no_more(count: int, what: str, found: int, said: str, most: int) -> None:
    if found > most:
        rows = "1 row" if count == 1 else f"{count} rows"
        raise Broken(f"of a source of {rows}\ngot {found} {what}\nexpected {most} at most, as its spec says ({said})")


class _Counted:
    """A judge, and how often it was asked."""

    def __init__(self, judge: Any):
        self._judge = judge
        self.asked = 0

    async def ask(self, ask: Ask) -> Reply:
        self.asked += 1
        return await self._judge.ask(ask)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._judge, name)


class _Saying:
    """A judge that says the same to everything."""

    def __init__(self, reply: Reply):
        self._reply = reply

    async def ask(self, ask: Ask) -> Reply:
        return self._reply


class _Waiting:
    """A judge that does not answer before the source has been read no further for STILL_S."""

    def __init__(self, judge: Any, source: Source):
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
    """The same under an id of its own."""
    return sample if turn == 0 else replace(sample, id=f"{sample.id}-again-{turn}")


def _without(sample: Sample, field: str) -> Sample:
    return replace(sample, fields={name: value for name, value in sample.fields.items() if name != field})


def _named(samples: Sequence[Sample]) -> str:
    return f"[{listed(sample.id for sample in samples)}]"
