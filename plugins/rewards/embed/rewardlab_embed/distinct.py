"""The data step embed/distinct: rows that are not too near to those of evaluation sets, nor to each other."""

import logging
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

from rewardlab import Context, Sample
from rewardlab.data import in_order
from rewardlab.errors import JobError, UserError

from rewardlab_embed.evaluation_rows import evaluation_rows, language_of, text_of
from rewardlab_embed.model import open_model
from rewardlab_embed.nearest_rows import NearestByLanguage
from rewardlab_embed.options import DistinctOptions

log = logging.getLogger("rewardlab.embed")

CHUNK = 512
"""rows that are compared at once"""
EXAMPLES, SHOWN = 3, 60
"""dropped rows that the warning shows, and characters of each"""


@dataclass(frozen=True)
class _Chunk:
    """Rows with their numbers, and the question about each."""

    rows: list[tuple[int, Sample]]
    questions: list[dict[str, Any]]


class DistinctRows:
    """An iterable of the source's samples, unchanged, without those that are too near.

    It streams, except under `nearest`, which holds all samples until the last is compared.

    The files and the order of the rows determine which rows are dropped; each iteration compares again. At its end a
    warning counts them and shows the first. Iterating raises UserError for a row without a text, and JobError for one
    without an embedding.
    """

    def __init__(self, options: DistinctOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._against = evaluation_rows(options.against, options.field)
        texts = [row.text for row in self._against]
        more: dict[str, Any] = {"against": texts, "threshold": options.threshold}
        if options.nearest is not None:
            languages = [row.language for row in self._against]
            known = list(dict.fromkeys(languages))
            more["languages"] = [known.index(language) for language in languages]
        self._worker = open_model(options, context, "distinct_worker.py", **more)

    def __iter__(self) -> Iterator[Sample]:
        tally = _PassTally([row.where for row in self._against])
        yield from self._as_they_come(tally) if self._options.nearest is None else self._after_all(tally)
        tally.close()

    def _after_all(self, tally: "_PassTally") -> Iterator[Sample]:
        """Yield the rows that are kept, once all have been compared: which of them are the nearest shows at the end."""
        assert self._options.nearest is not None
        near = NearestByLanguage(self._options.threshold, self._options.nearest)
        rows: list[tuple[int, Sample]] = []
        with closing(in_order(self._chunks(tally), self._ask, at_once=2)) as outcomes:
            for chunk, answers in outcomes:
                for (number, sample), answer in zip(chunk.rows, answers, strict=True):
                    if "error" in answer:
                        raise JobError(f"embed/distinct: {sample.source or sample.id}: {answer['error']}")
                    near.add(number, language_of(sample), answer["cosines"], answer["nearest"])
                rows += chunk.rows
        dropped = near.dropped()
        for number, sample in rows:
            nearest = dict(zip(("cosine", "nearest"), dropped.get(number, ()), strict=False))
            if tally.keep(number, sample, self._text(sample), nearest):
                yield sample

    def _as_they_come(self, tally: "_PassTally") -> Iterator[Sample]:
        chunks = self._chunks(tally)
        with closing(in_order(chunks, self._ask, at_once=1 if self._options.within else 2)) as outcomes:
            for chunk, answers in outcomes:
                for (number, sample), question, answer in zip(chunk.rows, chunk.questions, answers, strict=True):
                    if tally.keep(number, sample, question["text"], answer):
                        yield sample

    async def _ask(self, chunk: _Chunk) -> tuple[_Chunk, list[dict[str, Any]]]:
        return chunk, await self._worker.ask(chunk.questions)

    def _chunks(self, tally: "_PassTally") -> Iterator[_Chunk]:
        name = uuid.uuid4().hex  # names this pass: the worker may serve two
        rows = iter(zip(count(), self._source))
        while taken := list(islice(rows, CHUNK)):
            kept = tally.kept if self._options.within else None
            texts = [self._text(sample) for _, sample in taken]
            questions = [
                {"text": text, "pass": name, "row": number, "kept": kept}
                for text, (number, _) in zip(texts, taken, strict=True)
            ]
            yield _Chunk(taken, questions)

    def _text(self, sample: Sample) -> str:
        text = text_of(sample, self._options.field)
        if text is None:
            problem = f"neither a text in field {self._options.field!r} nor a user message"
            raise UserError(problem, where=sample.source or sample.id)
        return text


class _PassTally:
    """A tally of the rows that one pass kept and dropped."""

    def __init__(self, against: Sequence[str]) -> None:
        self.kept = 0
        self._against = against
        self._near = {"an evaluation row": 0, "a row before them": 0}
        self._examples: list[str] = []

    def keep(self, number: int, sample: Sample, text: str, answer: dict[str, Any]) -> bool:
        """Count a row and return whether it is kept. Raises JobError for one without an embedding."""
        where = sample.source or sample.id or f"row {number + 1}"
        if "error" in answer:
            raise JobError(f"embed/distinct: {where}: {answer['error']}")
        if not answer:
            self.kept += 1
            return True
        before = "row" in answer
        self._near["a row before them" if before else "an evaluation row"] += 1
        if len(self._examples) < EXAMPLES:
            near = f"row {answer['row'] + 1}" if before else self._against[answer["nearest"]]
            self._examples.append(f"{where} to {near} ({answer['cosine']:.3f}): {_shortened(text)}")
        return False

    def close(self) -> None:
        """Log a warning of the rows that were dropped, if there are any."""
        dropped = sum(self._near.values())
        if dropped:
            listed = ", ".join(f"{n} near to {kind}" for kind, n in self._near.items() if n)
            shown = "; ".join(self._examples)
            log.warning("embed/distinct: %d of %d rows dropped: %s: %s", dropped, self.kept + dropped, listed, shown)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= SHOWN else line[: SHOWN - 3] + "...")
