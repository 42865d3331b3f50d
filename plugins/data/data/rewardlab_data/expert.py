"""The data step data/expert: references from an expert model, which answers each row's English question.

Source: PB-RLSVR (Aligning Multilingual Reasoning with Verifiable Semantics from a High-Resource Expert Model),
section 4.1: the expert's reasoning and answer are kept, ill-formed responses removed.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from rewardlab import Ask, Context, Reply, Sample
from rewardlab.data import in_order
from rewardlab.errors import JobError, UserError

from rewardlab_data.dropped_rows import REFUSED, DroppedRow, DroppedRows, refusal
from rewardlab_data.expert_prompt import load
from rewardlab_data.expert_reply import ExpertAnswer, IllFormedReply, read_reference
from rewardlab_data.options import ExpertOptions

ROWS_AT_ONCE = 256
"""Rows under way at once: an expert thinks for minutes, and the judge's `concurrency` limits the questions."""


class ExpertRows:
    """An iterable of samples, streaming; each iteration asks again.

    A row is its source's row, with id, prompt and all fields, and in addition `reference` (the expert's response as
    "<think>...</think><answer>...</answer>"), `reference_reasoning` and `reference_answer` (its two parts).

    Iterating raises UserError for a source row without a question, and JobError if the expert answers none of the
    questions about a row, or too many rows must be dropped.
    """

    def __init__(self, options: ExpertOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._expert = context.judges[options.expert]
        self._template = load(options.template)

    def __iter__(self) -> Iterator[Sample]:
        tally, unanswered = DroppedRows("data/expert", self._options.max_dropped, "got no well-formed reference"), 0
        with closing(in_order(self._source, self._row, ROWS_AT_ONCE)) as outcomes:
            for outcome, failed in outcomes:
                unanswered += failed
                if tally.keeps(outcome):
                    yield outcome
        tally.close(unanswered)

    async def _row(self, sample: Sample) -> tuple[Sample | DroppedRow, int]:
        """Return the row, or why it is dropped, and how many of its questions had no answer."""
        where, question = sample.source or sample.id, _question(sample, self._options.field)
        if not question.strip():
            reason = "the question is blank"
            return DroppedRow(where=where, reason=reason, detail=reason, fault="source"), 0
        messages = self._template.messages(question)
        ill_formed: list[IllFormedReply] = []
        errors: list[str] = []
        for draw in range(self._options.attempts):
            reply = await self._expert.ask(Ask(messages=messages, parts={"query": question}, draw=draw))
            if not ill_formed and (why := refusal([reply])) is not None:
                return DroppedRow(where=where, reason=REFUSED, detail=f"{REFUSED}: {why}", fault="judge"), len(errors)
            if reply.error is not None:
                errors.append(reply.error)
                continue
            try:
                return _with_reference(sample, self._read(reply)), len(errors)
            except IllFormedReply as error:
                ill_formed.append(error)
        if not ill_formed:
            raise JobError(f"expert {self._options.expert!r} answered none of {len(errors)} questions: {errors[0]}")
        first = ill_formed[0]
        return DroppedRow(where=where, reason=first.reason, detail=first.detail, fault="judge"), len(errors)

    def _read(self, reply: Reply) -> ExpertAnswer:
        """Return the reply's parts, and report to the judge whether it has them."""
        try:
            reference = read_reference(reply, self._options.bare)
        except IllFormedReply:
            self._expert.report_parsed(reply, False)
            raise
        self._expert.report_parsed(reply, True)
        return reference


def _question(sample: Sample, field: str | None) -> str:
    if field is None:
        questions = [message["content"] for message in sample.prompt if message["role"] == "user"]
        if not questions:
            raise UserError("the prompt has no user message", where=sample.source)
        return questions[-1]
    question = sample.fields.get(field)
    if not isinstance(question, str):
        kind = "absent" if question is None else type(question).__name__
        hint = f"name its column, `fields: {{{field}: <column>}}` under `from`, or ask the prompt, `field: null`"
        raise UserError(f"{field} must be a text, the English question; it is {kind}; {hint}", where=sample.source)
    return question


def _with_reference(sample: Sample, reference: ExpertAnswer) -> Sample:
    fields = {
        "reference": reference.text,
        "reference_reasoning": reference.reasoning,
        "reference_answer": reference.answer,
    }
    return replace(sample, fields={**sample.fields, **fields})


def calls(options: ExpertOptions, rows: int) -> int:
    """Return the maximum number of questions to the expert for this many source rows, without retries."""
    return rows * options.attempts
