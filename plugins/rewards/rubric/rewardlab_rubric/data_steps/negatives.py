"""The data step rubric/negatives: wrong answers beside right ones, as responses with the scores false and true.

Source: R3 (Anugraha et al. 2025), section 3.2.1 and appendix H; mR3, appendix C.2.1.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from importlib.resources import files
from typing import Any

from rewardlab import Ask, Context, Reply, Sample
from rewardlab.errors import UserError
from rewardlab.text import fence, fence_key
from rewardlab_answers import read_template, without_thoughts
from rewardlab_data.corrupted_answers import NumberLabels, corrupted
from rewardlab_data.dropped_rows import DroppedRows
from rewardlab_pairwise.pairwise_reward import query_of

from rewardlab_rubric.data_steps.asking import PatientAsker, UnusableReply, UnusableRow, made_rows, seeded
from rewardlab_rubric.data_steps.writing_options import NegativesOptions
from rewardlab_rubric.data_steps.wrong_option import right_and_wrong

GROWTH, ALLOWANCE = 8, 200
"""an answer longer than GROWTH times the right one plus ALLOWANCE characters has not its form"""
RIGHT, WRONG = "true", "false"
NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4})(?:\.[0-9]{1,9})?")
"""a number small enough that decimal arithmetic is exact, with commas between thousands or without"""


class NegativeRows:
    """An iterable of samples, streaming; each iteration asks again.

    A row is its source's, with `response`, an answer, `score`, "true" or "false", and `made_by`, which says how a wrong
    answer came about: "option", "corruption" or "asked"; null for the right one. With `write: both` the right
    answer's row has the source's id with /true behind it, and the wrong one's with /false.

    Iterating raises UserError for a row without an answer, with an answer that is not one of its options, or with
    neither options, corruption nor judge; JobError if the judge answers none of the questions about a row, or too many
    rows must be dropped.
    """

    def __init__(self, options: NegativesOptions, context: Context) -> None:
        self._options, self._seed, self._source = options, context.seed, context.source
        given = options.numbers
        self._numbers = None if given is None else NumberLabels(given.mean, given.deviation, given.least)
        self._judge = None if options.judge is None else context.judges[options.judge]

    def __iter__(self) -> Iterator[Sample]:
        options = self._options
        asker = None
        if options.judge is not None:
            asker = PatientAsker(self._judge, options.judge, options.attempts)
        tally = DroppedRows("rubric/negatives", options.max_dropped, "got no wrong answer")

        async def make(sample: Sample) -> list[Sample]:
            return await self._rows(sample, asker)

        return made_rows(tally, self._source, make, asker)

    async def _rows(self, sample: Sample, asker: PatientAsker | None) -> list[Sample]:
        write: str = self._options.write
        if write == "one":
            write = "right" if seeded(self._seed, "one", sample.id).random() < 0.5 else "wrong"
        right, wrong, made_by = await self._answers(sample, asker, needed=write != "right")
        rows = []
        if write != "wrong":
            rows.append(self._row(sample, right, RIGHT, None))
        if write != "right":
            rows.append(self._row(sample, wrong, WRONG, made_by))
        return rows

    def _row(self, sample: Sample, response: str, score: str, made_by: str | None) -> Sample:
        fields = {**sample.fields, "response": response, "score": score, "made_by": made_by}
        return replace(sample, id=f"{sample.id}/{score}" if self._options.write == "both" else sample.id, fields=fields)

    async def _answers(self, sample: Sample, asker: PatientAsker | None, needed: bool) -> tuple[str, str, str]:
        """Return the right answer, a wrong one, and how it came about. needed: whether the wrong one is used."""
        answer = self._right(sample)
        options = sample.fields.get(self._options.options) if self._options.options is not None else None
        if options is not None:
            draw = seeded(self._seed, "wrong", sample.id)
            try:
                right, wrong = right_and_wrong(sample.fields[self._options.answer], options, draw)
            except ValueError as problem:
                raise UserError(str(problem), where=sample.source) from None
            return right, wrong, "option"
        if self._options.corruption:
            try:
                wrong = corrupted(answer, query_of(sample), f"{self._seed}:{sample.id}", self._numbers)
            except ValueError as problem:
                if asker is None:
                    raise UnusableRow("nothing to corrupt", str(problem)) from None
            else:
                return answer, wrong, "corruption"
        if asker is None:
            lack = f"it has no field {self._options.options!r}" if self._options.options else "options is null"
            raise UserError(f"{lack}, and neither corruption nor judge makes a wrong answer", where=sample.source)
        return answer, await self._asked(answer, sample, asker) if needed else "", "asked"

    def _right(self, sample: Sample) -> str:
        answer = sample.fields.get(self._options.answer)
        if isinstance(answer, bool) or not isinstance(answer, (str, int, float)) or not str(answer).strip():
            problem = f"field {self._options.answer!r} should hold an answer, not {repr(answer)[:60]}"
            raise UserError(problem, where=sample.source)
        return str(answer).strip()

    async def _asked(self, answer: str, sample: Sample, asker: PatientAsker) -> str:
        """Return a wrong answer from the judge: it makes one up, and then copies it from its reply."""
        where, params = sample.source or sample.id, self._options.params
        copier = PatientAsker(self._judge, str(self._options.judge), 1)

        async def wrong_answer(reply: Reply) -> str:
            wrong = await copier.ask(cleaning(_whole(reply), params), copied, where)
            if len(wrong) > GROWTH * len(answer) + ALLOWANCE:
                raise UnusableReply("far longer than the right answer", wrong)
            if is_same(wrong, answer):
                raise UnusableReply("the right answer again", wrong)
            return wrong

        async def copied(reply: Reply) -> str:
            return _whole(reply)

        return await asker.ask(construction(query_of(sample), answer, params), wrong_answer, where)


def construction(question: str, answer: str, params: dict[str, Any]) -> Ask:
    """Return the first pass: the question that asks for a wrong answer."""
    parts = {"query": question, "reference": answer}
    key = fence_key(parts)
    quoted = {"question": fence("QUESTION", question, key), "answer": fence("RIGHT ANSWER", answer, key)}
    return Ask(messages=_template("negative").messages({**quoted, "key": key}), parts=parts, params=params)


def cleaning(draft: str, params: dict[str, Any]) -> Ask:
    """Return the second pass: the question that asks to copy the answer out of a message."""
    parts = {"text": draft}
    key = fence_key(parts)
    messages = _template("negative_clean").messages({"draft": fence("MESSAGE", draft, key), "key": key})
    return Ask(messages=messages, parts=parts, params=params)


def first_question(options: NegativesOptions) -> Ask:
    """Return a small question in the form of those that the step asks."""
    return construction("How much is 2 + 3?", "5", options.params)


def is_same(answer: str, other: str) -> bool:
    """Return whether two answers are the same: equal numbers, or the same letters and digits without case."""
    if all(NUMBER.fullmatch(text.strip()) for text in (answer, other)):
        return Decimal(answer.strip().replace(",", "")) == Decimal(other.strip().replace(",", ""))
    squeezed = ["".join(filter(str.isalnum, text)).casefold() for text in (answer, other)]
    return squeezed[0] == squeezed[1] if any(squeezed) else "".join(answer.split()) == "".join(other.split())


def _whole(reply: Reply) -> str:
    """Return the text after the thoughts of a reply. Raises UnusableReply if it is incomplete."""
    text = without_thoughts(reply.text).strip()
    if reply.cut_off:
        raise UnusableReply("cut off at the token limit", text)
    if not text:
        raise UnusableReply("empty")
    return text


def _template(name: str) -> Any:
    placeholders = {"negative": ("question", "answer", "key"), "negative_clean": ("draft", "key")}
    return read_template(files("rewardlab_rubric") / "templates" / f"{name}.txt", placeholders[name])
