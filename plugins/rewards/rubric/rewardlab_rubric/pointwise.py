"""rubric/pointwise and rubric/binary: a judge's score of one response by a rubric."""

import asyncio
from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Context, JudgeClient, Reply, Sample, Score
from rewardlab.errors import RewardlabError, one_line
from rewardlab_answers import is_blank, sections
from rewardlab_pairwise.pairwise_reward import NoQuestion

from rewardlab_rubric.levels import as_json
from rewardlab_rubric.options import PointwiseOptions
from rewardlab_rubric.replies.expected import level_probabilities
from rewardlab_rubric.replies.reading import level_read, read_answer, why_unread
from rewardlab_rubric.strategies.questions import Questions, RubricQuestion


class JudgedResponse:
    """A reward that asks a judge one question about each response; subclasses read the reply."""

    def __init__(self, questions: Any, read: str, judge: JudgeClient) -> None:
        """questions: has `about(sample, response)`, whose result has the `ask`. read: see `PointwiseOptions.read`."""
        self._questions = questions
        self._reads_all = read == "all"
        self._judge = judge

    async def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item; all are asked at once, as far as the judge's limits allow."""
        return list(await asyncio.gather(*(self._score(sample, completion.text) for sample, completion in items)))

    async def _score(self, sample: Sample, text: str) -> Score:
        response = text if self._reads_all else sections.final(text)
        if is_blank(response):
            return Score(value=0.0, info={"empty": True})
        try:
            question = self._questions.about(sample, response)
            reply = await self._judge.ask(question.ask)
        except RewardlabError:  # the job is to stop, with this message
            raise
        except NoQuestion as error:
            return Score(info={"reason": str(error)})
        except Exception as error:  # a rubric of a row, or whatever a judge raises
            return Score(error=one_line(error))
        if reply.error is not None:
            return Score(error=reply.error or "the judge gave an error without a text")
        return self._read(reply, question)

    def _read(self, reply: Reply, question: Any) -> Score:
        raise NotImplementedError


class RubricScore(JudgedResponse):
    """The reward of a response by a rubric; in [0, 1].

    On a scale from a to b the score s is worth (s - a) / (b - a); true is worth 1 and false 0. With `expected` it is
    the mean over the levels, by the probabilities of the judge's tokens. A blank response is worth 0 unasked. A reply
    without a score, or with one that the rubric does not have, is a failure. A row in a language without texts, or
    without a translation of its rubric, has no value and is never asked about in English.
    `info`: `raw`, the score as the reader gives it; `explanation`; `tokens`; `variant`, the number of the rubric's
    variant; `probabilities` of the levels under `expected`; `empty`; `reason` of no value.
    Source: R3 (Anugraha et al. 2025), mR3.
    """

    def __init__(self, options: PointwiseOptions, context: Context) -> None:
        super().__init__(Questions(options), options.read, context.judges[options.judge])
        self._options = options

    def _read(self, reply: Reply, question: RubricQuestion) -> Score:
        reading = read_answer(self._options.profile, reply, question.ask)
        info = {
            "raw": as_json(reading.raw),
            "explanation": reading.explanation,
            "tokens": (reply.prompt_tokens or 0) + (reply.completion_tokens or 0),
            "variant": question.variant,
        }
        label = level_read(self._options.profile, reading, question.levels)
        self._judge.report_parsed(reply, label is not None)
        if label is None:
            fault = {} if reply.fault is None else {"fault": reply.fault}
            return Score(info={**info, **fault}, error=why_unread(reading, question.levels, reply))
        if not self._options.expected:
            return Score(value=question.levels.worth(label), info=info)
        try:
            shares = level_probabilities(reply.logprobs, reply.text, reading.start, list(question.levels.texts))
        except ValueError as error:
            return Score(info=info, error=str(error))
        value = sum(question.levels.worth(level) * share for level, share in shares.items())
        return Score(value=min(1.0, value), info={**info, "probabilities": shares})
