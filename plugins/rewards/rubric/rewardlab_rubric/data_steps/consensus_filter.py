"""The data step rubric/agreeing: rows whose scores are right, and which are not too easy for a small model.

Source: R3 (Anugraha et al. 2025), section 3.2.5 (of five answers of Qwen3-4B not all right); mR3, section 3.1.3 (all
strategies right; at most two of five answers of gpt-oss-20b right, then three more often than four).
"""

import asyncio
import hashlib
import json
import logging
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace

from rewardlab import Ask, Context, Sample
from rewardlab.data import in_order
from rewardlab.errors import JobError, UserError
from rewardlab_data.dropped_rows import DroppedRow, DroppedRows

from rewardlab_rubric.data_steps.asking import UnusableReply, refused_reply
from rewardlab_rubric.data_steps.judging_options import AgreeingOptions
from rewardlab_rubric.levels import canonical
from rewardlab_rubric.replies.reading import read_reply

log = logging.getLogger("rewardlab.dropped")  # users filter by this name
ROWS_AT_ONCE = 256


class AgreeingRows:
    """An iterable of samples, streaming; each iteration asks again.

    A row is its source's row; if a small model was asked, with `right`, how many of its `draws` replies had the gold
    score. A reply without a score is a wrong one. Which rows of a share stay follows from id and seed alone; with
    `rows`, from the ids of the whole source and the seed.

    Iterating raises UserError for a row without a gold score or without one of the scores, and JobError if the model
    does not answer one of the questions about a row, or its server refuses too many rows for good, which are dropped.
    """

    def __init__(self, options: AgreeingOptions, context: Context) -> None:
        self._options, self._source, self._seed = options, context.source, context.seed
        self._judge = None if options.judge is None else context.judges[options.judge]

    def __iter__(self) -> Iterator[Sample]:
        left_out: Counter[str] = Counter()
        kept = 0
        staying = self._staying(left_out)
        for sample in staying if self._options.rows is None else self._chosen(staying, self._options.rows, left_out):
            kept += 1
            yield sample
        if left_out:
            self._tell(kept, left_out)

    def _staying(self, left_out: Counter[str]) -> Iterator[Sample]:
        """Yield the rows that stay, or with `rows` those that may; count the others."""
        tally = DroppedRows("rubric/agreeing", self._options.max_dropped, "could not be asked about")
        with closing(in_order(self._source, self._row, ROWS_AT_ONCE)) as outcomes:
            for outcome in outcomes:
                if not tally.keeps(outcome):
                    continue
                if isinstance(outcome, str):
                    left_out[outcome] += 1
                elif isinstance(outcome, Sample):
                    yield outcome
        tally.close(0)

    def _chosen(self, samples: Iterable[Sample], rows: int, left_out: Counter[str]) -> list[Sample]:
        """Return this many of the rows, in their order: the first by `_place`.

        Those of `whole` come first, then those whose share is 1; among the others each draw takes one by its weight
        (Efraimidis and Spirakis: the least of -log(u) / weight).
        """
        known = list(samples)
        for field, values in self._options.whole.items():
            if lacking := [value for value in values if all(sample.fields.get(field) != value for sample in known)]:
                log.warning("rubric/agreeing: whole: no row that may stay has %s in field %r", lacking, field)
        order = sorted(range(len(known)), key=lambda index: self._place(known[index]))
        if len(known) > rows:
            left_out["that others were drawn before"] += len(known) - rows
        elif len(known) < rows:
            log.warning("rubric/agreeing: %d rows were wanted, and %d are there", rows, len(known))
        return [known[index] for index in sorted(order[:rows])]

    def _place(self, sample: Sample) -> tuple[bool, bool, float]:
        whole = any(sample.fields.get(field) in values for field, values in self._options.whole.items())
        share = self._share(sample.fields.get("right"))
        return not whole, share < 1, -math.log(1 - self._hash(sample)) / share

    def _tell(self, kept: int, left_out: Counter[str]) -> None:
        reasons = "; ".join(f"{count} {why}" for why, count in left_out.most_common())
        if not kept:
            problem = f"rubric/agreeing keeps none of {left_out.total()} rows: {reasons}"
            raise UserError(f"{problem}; look at the fields of gold and scores")
        log.warning("rubric/agreeing: %d of %d rows kept; left out: %s", kept, kept + left_out.total(), reasons)

    async def _row(self, sample: Sample) -> Sample | str | DroppedRow:
        """Return the row, or why it is left out; it is dropped if the server refuses it."""
        gold = _score(sample, self._options.gold)
        for name in self._options.scores:
            if _score(sample, name) != gold:
                return f"with a wrong {name}"
        if self._judge is None:
            return sample
        try:
            right = await self._times_right(sample, gold)
        except UnusableReply as refused:
            return DroppedRow(
                where=sample.source or sample.id, reason=refused.reason, detail=refused.detail, fault="judge"
            )
        if not self._stays(sample, right):
            return f"that the small model got right {right} times of {self._options.draws}"
        return replace(sample, fields={**sample.fields, "right": right})

    async def _times_right(self, sample: Sample, gold: str) -> int:
        return sum(await asyncio.gather(*(self._is_right(sample, gold, draw) for draw in range(self._options.draws))))

    async def _is_right(self, sample: Sample, gold: str, draw: int) -> bool:
        assert self._judge is not None
        shown = [message["content"] for message in sample.prompt]
        ask = Ask(messages=list(sample.prompt), parts={}, params=self._options.params, draw=draw)
        reply = await self._judge.ask(ask)
        if (refused := refused_reply(reply)) is not None:
            raise refused
        if reply.error is not None:
            raise JobError(f"{sample.source or sample.id}: judge {self._options.judge!r} gave no answer: {reply.error}")
        raw = read_reply(self._options.profile, reply, shown).raw
        self._judge.report_parsed(reply, raw is not None)
        return canonical(raw) == gold

    def _stays(self, sample: Sample, right: int) -> bool:
        share = self._share(right)
        return share > 0 if self._options.rows is not None else self._hash(sample) < share

    def _share(self, right: int | None) -> float:
        return 1.0 if right is None or self._judge is None else self._options.shares.get(right, 1.0)

    def _hash(self, sample: Sample) -> float:
        """Return a number in [0, 1) that follows from seed and id alone."""
        digest = hashlib.sha256(json.dumps(["agreeing", self._seed, sample.id]).encode()).digest()
        return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def _score(sample: Sample, field: str) -> str:
    score = canonical(sample.fields.get(field))
    if not score:
        shown = repr(sample.fields.get(field))[:60]
        raise UserError(f"field {field!r} should hold a score, not {shown}", where=sample.source)
    return score
