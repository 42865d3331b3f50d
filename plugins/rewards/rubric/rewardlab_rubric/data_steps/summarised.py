"""The data step rubric/summarised: thoughts that are too long, shortened by a judge.

Source: R3 (Anugraha et al. 2025), section 3.2.4 and appendix E: responses of more than 4,096 tokens.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

from rewardlab import Ask, Context, Reply, Sample
from rewardlab.errors import UserError
from rewardlab.text import fence, fence_key
from rewardlab_answers import read_template, sections
from rewardlab_data.dropped_rows import DroppedRows

from rewardlab_rubric.data_steps.asking import PatientAsker, UnusableReply, UnusableRow, made_rows
from rewardlab_rubric.data_steps.lengths import length_of
from rewardlab_rubric.data_steps.writing_options import SummarisedOptions

TAGS = ("<think>", "</think>")
ROOM = 2
"""the words asked for are the tokens that are left for the thoughts, divided by this"""
LEAST = 16
"""words asked for at least"""


class SummarisedRows:
    """An iterable of samples, streaming; each iteration asks again.

    A row is its source's with `tokens`, the length of its response. In a response longer than the limit, the thoughts
    are replaced by a summary, in the response and in their own field; `full_trace` holds the original thoughts, and
    null in every other row.

    Iterating raises UserError for a row without a response, or with a long one that does not hold its thoughts once,
    and JobError if the judge answers none of the questions about a row, or too many rows must be dropped.
    """

    def __init__(self, options: SummarisedOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._judge = context.judges[options.judge]

    def __iter__(self) -> Iterator[Sample]:
        options, length = self._options, length_of(self._options.tokenizer)
        asker = PatientAsker(self._judge, options.judge, options.attempts)
        tally = DroppedRows("rubric/summarised", options.max_dropped, "got no summary that is short enough")

        async def make(sample: Sample) -> list[Sample]:
            return [await self._row(sample, asker, length)]

        return made_rows(tally, self._source, make, asker)

    async def _row(self, sample: Sample, asker: PatientAsker, length: Callable[[str], int]) -> Sample:
        response = self._text(sample, self._options.response)
        tokens = length(response)
        if tokens <= self._options.limit:
            return _with(sample, tokens=tokens, full_trace=None)
        trace = self._text(sample, self._options.trace)
        if response.count(trace) != 1:
            times = response.count(trace)
            problem = (
                f"field {self._options.response!r} holds the text of {self._options.trace!r} {times} times, not once"
            )
            raise UserError(problem, where=sample.source)

        room = self._options.limit - length(response.replace(trace, ""))
        if room < 1:
            raise UnusableRow("too long even without thoughts")

        async def shorter(reply: Reply) -> tuple[str, str, int]:
            summary = _summary(reply)
            short = response.replace(trace, summary)
            if length(short) > self._options.limit:
                raise UnusableReply("a summary that is still too long", f"{length(short)} tokens: {summary}")
            return summary, short, length(short)

        ask = question(trace, room, self._options.params)
        summary, short, tokens = await asker.ask(ask, shorter, sample.source or sample.id)
        names = {self._options.trace: summary, self._options.response: short}
        return _with(sample, **names, tokens=tokens, full_trace=trace)

    def _text(self, sample: Sample, field: str) -> str:
        text = sample.fields.get(field)
        if not isinstance(text, str) or not text.strip():
            raise UserError(f"field {field!r} should hold text, not {repr(text)[:60]}", where=sample.source)
        return text


def question(trace: str, room: int, params: dict[str, Any]) -> Ask:
    """Return the question that asks to shorten thoughts. room: tokens that they may have."""
    parts = {"text": trace}
    key = fence_key(parts)
    template = read_template(files("rewardlab_rubric") / "templates" / "summary.txt", ("trace", "limit", "key"))
    limit = str(max(LEAST, room // ROOM))
    messages = template.messages({"trace": fence("THOUGHTS", trace, key), "limit": limit, "key": key})
    return Ask(messages=messages, parts=parts, params=params)


def first_question(options: SummarisedOptions) -> Ask:
    """Return a small question in the form of those that the step asks."""
    return question("2 and 3, that is 5. Is it? 2 and 3 is 5. Yes, 5.", 64, options.params)


def _summary(reply: Reply) -> str:
    """Return the text of a reply after the judge's own thoughts."""
    text = reply.text.strip()
    if text.startswith(TAGS[0]):
        text = sections.response(text).strip() or text.removeprefix(TAGS[0]).removesuffix(TAGS[1]).strip()
    if reply.cut_off:
        raise UnusableReply("cut off at the token limit", text[-60:])
    if not text:
        raise UnusableReply("empty")
    if any(tag in text for tag in TAGS):
        raise UnusableReply("a summary with tags of thoughts", text)
    return text


def _with(sample: Sample, **fields: Any) -> Sample:
    return replace(sample, fields={**sample.fields, **fields})
