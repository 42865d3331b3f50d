"""The data step rubric/distilled: rows to train a judge on, from a teacher's thoughts and verdicts.

Source: R3 (Anugraha et al. 2025), section 3.2.4; mR3, sections 3.1.2 and 3.1.3.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from rewardlab import Ask, Context, Message, Reply, Sample
from rewardlab.data import in_order
from rewardlab.errors import JobError, UserError
from rewardlab_data.dropped_rows import REFUSED, DroppedRow, DroppedRows, refusal

from rewardlab_rubric.asked import FIELD, way_of
from rewardlab_rubric.data_steps.judging_options import DistilledOptions
from rewardlab_rubric.data_steps.positions import placed, swaps
from rewardlab_rubric.data_steps.reply_language import share_in, wanted_language
from rewardlab_rubric.data_steps.translated_thoughts import NoUsableTranslation, ThoughtTranslator
from rewardlab_rubric.levels import Levels
from rewardlab_rubric.replies.official import VerdictReading
from rewardlab_rubric.replies.reading import level_read, read_answer, why_unread
from rewardlab_rubric.strategies.language_texts import Languages, NoTexts
from rewardlab_rubric.strategies.questions import Questions, RubricQuestion, known_rubrics

ROWS_AT_ONCE = 256
"""rows under way at once: a teacher thinks for minutes, and the judge's `concurrency` limits the questions"""
UNREAD = "unread"
"""the score of a reply by another strategy that has none; it is nobody's gold"""
OPEN, CLOSE = "<think>", "</think>"
FORMS = {"r3": "<think>{trace}</think>{answer}", "qwen3": "<think>\n{trace}\n</think>\n\n{answer}"}


class DistilledRows:
    """An iterable of samples, streaming; each iteration asks again.

    Each reply with thoughts and a verdict becomes a row: `prompt` is the teacher's question, `response` its thoughts
    and answer in one text, to train on. Besides the source's fields, without the texts that were judged: `trace`,
    `answer`, `judged` (the score, a level of the rubric as text), `gold` (the row's right score, in the same form; null
    if it has none), `strategy`, `draw` (from 0), `asked` (how the question was made, for a judge that is trained on
    it), and what `also` names; with `positions: hashed`, `swapped`, whether the second text stood first, in whose terms
    all scores then are. With strategy `translated` prompt, thoughts and explanation are in the row's language, the
    levels as they were. The id is the source's, with
    `/draw` behind it if there are several draws.

    A row in a language that rubric/translated_texts left out is dropped, unasked. Iterating raises UserError for a row
    without a text to be judged, with a wrong rubric, in a language without texts, or with a right score that is not a
    level of the rubric, and JobError if the teacher answers none of a row's questions, or too many replies must
    be dropped.
    """

    def __init__(self, options: DistilledOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._teacher = context.judges[options.teacher]
        self._questions = Questions(options.reward)
        self._languages = Languages(options.texts)
        if self._languages.awaited:
            raise UserError(f"texts: {options.texts} is not there; run the stage that writes it")
        self._translator: ThoughtTranslator | None = None
        self._others = {strategy: Questions(options.reward_by(strategy)) for strategy in options.also}
        self._all = [self._questions, *self._others.values()]
        if options.strategy == "translated":
            written = Questions(options.reward_by("tgt-tgt"))
            self._translator = ThoughtTranslator(options, context, partial(self._question, written), opened)
            self._all.append(written)
        made_by = options.reward_by("tgt-tgt") if options.strategy == "translated" else options.reward
        self._way = way_of(made_by, known_rubrics(made_by), getattr(self._teacher, "most_tokens", None))

    def __iter__(self) -> Iterator[Sample]:
        tally = DroppedRows("rubric/distilled", self._options.max_dropped, "got no thoughts with a verdict")
        unanswered = 0
        with closing(in_order(self._source, self._row, ROWS_AT_ONCE)) as outcomes:
            for made, failed in outcomes:
                unanswered += failed
                yield from filter(tally.keeps, made)
        tally.close(unanswered + (0 if self._translator is None else self._translator.failed))

    async def _row(self, sample: Sample) -> tuple[list[Sample | DroppedRow], int]:
        """Return the results of the row's replies, and how many of its questions had no answer."""
        try:
            question, *_ = [self._question(questions, sample) for questions in self._all]  # before one of them is paid
        except NoTexts as error:
            return [self._dropped(sample, "no question in its language", str(error))], 0
        gold = self._gold(sample, question.levels)
        if self._options.positions == "hashed":
            sample = self._placed(sample, gold, question.levels)
            question, gold = self._question(self._questions, sample), self._gold(sample, question.levels)
        made: list[Sample | DroppedRow] = []
        errors: list[str] = []
        for draw in range(self._options.draws):
            reply = await self._teacher.ask(replace(question.ask, draw=draw))
            if not made and (why := refusal([reply])) is not None:
                return [self._dropped(sample, REFUSED, f"{REFUSED}: {why}")], len(errors)
            if reply.error is None:
                others = await self._judged_otherwise(sample, draw, errors)
                made.append(await self._distil(sample, question, reply, draw, gold, others))
            else:
                errors.append(reply.error)
        if not made:
            problem = f"teacher {self._options.teacher!r} answered none of {len(errors)} questions: {errors[0]}"
            raise JobError(f"{sample.source or sample.id}: {problem}")
        return made, len(errors)

    def _question(self, questions: Questions, sample: Sample) -> RubricQuestion:
        """Return the question about a row. A UserError for one whose texts or rubric are not there.

        Raises NoTexts for one in a language that a translator could not make them in.
        """
        texts = [_text(sample, field) for field in self._options.texts_judged]
        try:
            return questions.about(sample, *texts)
        except ValueError as error:
            if isinstance(error, NoTexts) and self._languages.made:
                raise
            raise UserError(str(error), where=sample.source) from None

    def _placed(self, sample: Sample, gold: str | None, levels: Levels) -> Sample:
        return placed(sample, swaps(sample), self._options.texts_judged, self._options.gold, gold, levels)

    async def _judged_otherwise(self, sample: Sample, draw: int, errors: list[str]) -> dict[str, str]:
        """Return the scores by the other strategies, as fields; those without an answer are among the errors."""
        judged = {}
        for strategy, questions in self._others.items():
            question = self._question(questions, sample)
            reply = await self._teacher.ask(replace(question.ask, draw=draw))
            if reply.error is not None:
                errors.append(reply.error)
            reading = VerdictReading() if reply.error is not None else self._read(question.ask, reply)
            label = level_read(self._options.profile, reading, question.levels)
            judged[f"judged_{strategy}"] = UNREAD if label is None else label
        return judged

    def _read(self, ask: Ask, reply: Reply) -> VerdictReading:
        return read_answer(self._options.profile, reply, ask)

    def _gold(self, sample: Sample, levels: Levels) -> str | None:
        """Return the right level; None if the row has none. A row with a wrong one is never asked about."""
        field = self._options.gold
        score = None if field is None else sample.fields.get(field)
        label = levels.label_of(score)
        if score is not None and label is None:
            problem = f"field {field!r} holds {repr(score)[:60]}, not a level of the rubric: {levels.describe()}"
            raise UserError(problem, where=sample.source)
        return label

    async def _distil(
        self,
        sample: Sample,
        question: RubricQuestion,
        reply: Reply,
        draw: int,
        gold: str | None,
        others: Mapping[str, str],
    ) -> Sample | DroppedRow:
        options, (trace, answer) = self._options, split(reply)
        prompt, opening = opened(question.ask.messages)
        reading = self._read(question.ask, reply)
        label = level_read(self._options.profile, reading, question.levels)
        self._teacher.report_parsed(reply, label is not None)
        if label is None:
            return self._dropped(sample, "no verdict of the rubric", why_unread(reading, question.levels, reply))
        if reply.cut_off or OPEN in answer:
            return self._dropped(sample, "a reply without an end", f"cut off, or thoughts left open: {answer[-60:]!r}")
        if not trace and "trace" not in options.leave_out:
            return self._dropped(sample, "no thoughts", f"a reply without thoughts: {answer[:60]!r}")
        if (why := self._foreign(sample, trace)) is not None:
            return self._dropped(sample, "thoughts in another language", why)
        trace = f"{opening} {trace}".strip()
        if self._translator is not None:
            try:
                own = await self._translator.translate(sample, trace, reading.explanation or "", label)
            except NoUsableTranslation as error:
                return self._dropped(sample, error.reason, str(error))
            prompt, trace, answer = own.prompt, own.trace, own.answer
        if "explanation" in options.leave_out:
            answer = json.dumps({"score": label}, ensure_ascii=False)
        form = "{answer}" if "trace" in options.leave_out else FORMS[options.form]
        kept = {name: value for name, value in sample.fields.items() if name not in options.texts_judged}
        fields = {**kept, "response": form.format(trace=trace, answer=answer)}
        fields |= {"trace": trace, "answer": answer, "judged": label, "gold": gold, "strategy": options.strategy}
        fields |= {"draw": draw, **others, FIELD: {**self._way, "levels": list(question.levels.texts)}}
        name = sample.id if options.draws == 1 else f"{sample.id}/{draw}"
        return replace(sample, id=name, prompt=prompt, fields=fields)

    def _foreign(self, sample: Sample, trace: str) -> str | None:
        """Return why the thoughts are not in the language asked for; None if they are."""
        options = self._options
        code = wanted_language(options.asked_by, sample, options.language, self._languages)
        share = share_in(trace, code) if options.least_share else None
        if share is None or share >= options.least_share:
            return None
        return f"{share:.0%} of the words are in {code!r}, which {options.asked_by} asks for: {trace[-60:]!r}"

    def _dropped(self, sample: Sample, reason: str, detail: str) -> DroppedRow:
        return DroppedRow(where=sample.source or sample.id, reason=reason, detail=detail, fault="judge")


def split(reply: Reply) -> tuple[str, str]:
    """Return a reply's thoughts and the text after them, stripped; thoughts that the server sends apart count first.

    Tags that the thoughts mention become blanks, so that those of the row's response are the only ones.
    """
    before, closed, behind = reply.text.rpartition(CLOSE)
    thoughts = (reply.reasoning or "").strip() or before
    thoughts = thoughts.replace(OPEN, " ").replace(CLOSE, " ").strip()
    return thoughts, (behind if closed else reply.text).strip()


def opened(messages: Sequence[Message]) -> tuple[tuple[Message, ...], str]:
    """Return a question's messages without the beginning of the reply, and that beginning, which the writer owns."""
    if messages[-1]["role"] != "assistant":
        return tuple(messages), ""
    return tuple(messages[:-1]), messages[-1]["content"].removeprefix(OPEN).strip()


def _text(sample: Sample, field: str) -> str:
    text = sample.fields.get(field)
    if not isinstance(text, str):
        shown = "absent" if text is None else type(text).__name__
        hint = "name the field with the text to be judged in `judged`"
        raise UserError(f"{field} must be a text; it is {shown}; {hint}", where=sample.source)
    return text
