"""Shared parts of data steps that ask a judge: ask again until a reply is usable, and count dropped rows."""

import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from json import dumps
from typing import Any, TypeVar

from rewardlab import Ask, Reply, Sample
from rewardlab.data import in_order
from rewardlab.errors import JobError
from rewardlab_data.dropped_rows import REFUSED, DroppedRow, DroppedRows, refusal

ROWS_AT_ONCE = 256
"""rows under way at once; the judge's `concurrency` limits the questions"""
SHOWN = 60
"""characters of a reply in a message"""
MAX_ERROR = 400
"""characters of a server's error in a message"""
T = TypeVar("T")


class UnusableReply(Exception):
    """A reply that cannot be used. `reason` is one of a few texts, `detail` shows this reply."""

    def __init__(self, reason: str, text: str = "", shown: int = SHOWN) -> None:
        text = " ".join(text.split())
        self.reason = reason
        self.detail = f"{reason}: {text if len(text) <= shown else text[: shown - 3] + '...'!r}" if text else reason
        super().__init__(self.detail)


class UnusableRow(Exception):
    """A row of the source from which nothing can be made. `reason` is one of a few texts."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason, self.detail = reason, f"{reason}: {detail}" if detail else reason
        super().__init__(self.detail)


def refused_reply(reply: Reply) -> UnusableReply | None:
    """Return what says that a server refused a question for good; None if it did not."""
    return None if (error := refusal([reply])) is None else UnusableReply(REFUSED, error, MAX_ERROR)


class PatientAsker:
    """Asks one judge a question up to `attempts` times, a draw each, until a reply is usable.

    failed: questions so far that had no answer, though others about the same row had one.
    """

    def __init__(self, judge: Any, name: str, attempts: int) -> None:
        self._judge, self._name, self._attempts = judge, name, attempts
        self.failed = 0

    async def ask(self, ask: Ask, read: Callable[[Reply], Awaitable[T]], where: str, first: int = 0) -> T:
        """Return the result of `read` for the first usable reply.

        Args:
            read: raises UnusableReply.
            first: the number of the first draw.

        Raises the first UnusableReply if no reply is usable or the server refuses the question for good, and JobError
        if no question was answered.
        """
        unusable, errors = [], []
        for draw in range(first, first + self._attempts):
            reply = await self._judge.ask(replace(ask, draw=draw))
            if (refused := refused_reply(reply)) is not None:
                unusable.append(refused)
                break
            if reply.error is not None:
                errors.append(reply.error)
                continue
            try:
                result = await read(reply)
            except UnusableReply as problem:
                self._judge.report_parsed(reply, False)
                unusable.append(problem)
            else:
                self._judge.report_parsed(reply, True)
                self.failed += len(errors)
                return result
        if not unusable:
            problem_text = f"judge {self._name!r} answered none of {len(errors)} questions: {errors[0]}"
            raise JobError(f"{where}: {problem_text}")
        self.failed += len(errors)
        raise unusable[0]


def made_rows(
    tally: DroppedRows,
    source: Iterable[Sample],
    make: Callable[[Sample], Awaitable[Sequence[Sample]]],
    asker: PatientAsker | None,
) -> Iterator[Sample]:
    """Yield the rows that `make` makes of each row of the source, in order; count those that give no row."""

    async def work(sample: Sample) -> Sequence[Sample] | DroppedRow:
        where = sample.source or sample.id
        try:
            return await make(sample)
        except UnusableReply as problem:
            return DroppedRow(where=where, reason=problem.reason, detail=problem.detail, fault="judge")
        except UnusableRow as problem:
            return DroppedRow(where=where, reason=problem.reason, detail=problem.detail, fault="source")

    with closing(in_order(source, work, ROWS_AT_ONCE)) as outcomes:
        for outcome in outcomes:
            if tally.keeps(outcome):
                yield from outcome
    tally.close(asker.failed if asker is not None else 0)


def seeded(seed: int, *names: str) -> random.Random:
    """Return a source of random numbers that follows from seed and names alone."""
    digest = sha256(dumps([seed, *names]).encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))
