"""checklist/reasoning and checklist/answer: the smoothed mean of a critique's scores."""

import asyncio
from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Context, Sample, Score

from rewardlab_checklist.checklist_file import ChecklistError
from rewardlab_checklist.critic import Critic, NoCritique, PlantedCritique, parts_of
from rewardlab_checklist.critique import Critique
from rewardlab_checklist.options import AnswerOptions, ScoredOptions
from rewardlab_checklist.question import ANSWER, TRACE
from rewardlab_checklist.smoothing import weighted_deviation, weighted_mean


class ChecklistScore:
    """The weighted mean of a critique's scores times a factor of their deviation; in [0, 1].

    Of the answer under AnswerOptions, else of the trace. A part that is not there is worth 0, unasked; a critique that
    is missing or unreadable is a failure, unless the completion caused that, which gives 0. `info`: `scores` by
    dimension, `unsmoothed`, `std`, `checklist`, `missing`, `unsupported` (quotations that nobody wrote, by dimension),
    `quoted`, `unquoted`, `extra`, `task`, `tokens`; `empty`; `planted`.
    Source: SGCM and AMRO (paper 004), section 3; docs/amro.md has what it leaves open.
    """

    def __init__(self, options: ScoredOptions, context: Context) -> None:
        self._options, self._part = options, ANSWER if isinstance(options, AnswerOptions) else TRACE
        self._recognises = isinstance(options, AnswerOptions) and options.task == "recognised"
        self._critic = Critic(options, context.judges[options.judge])

    async def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item; all are asked at once, as far as the judge's limits allow."""
        return list(await asyncio.gather(*(self._score(sample, completion) for sample, completion in items)))

    async def _score(self, sample: Sample, completion: Completion) -> Score:
        parts = parts_of(completion)
        if self._part not in parts or (self._recognises and TRACE not in parts):
            return Score(value=0.0, info={"empty": True})
        try:
            task = await self._recognised(sample, parts)
            critique = await self._critic.critique(self._part, sample, parts, task)
        except PlantedCritique as error:
            return Score(value=0.0, info={"planted": str(error)})
        except (NoCritique, ChecklistError) as error:
            return Score(error=str(error))
        return self._worth(critique, task)

    async def _recognised(self, sample: Sample, parts: dict[str, str]) -> str | None:
        """Return the task whose checklist decides if a critique of the trace names it; else None for the row's task."""
        if not self._recognises:
            return None
        task = (await self._critic.critique(TRACE, sample, parts)).task
        if task is None:
            raise NoCritique("the critique of the trace recognises no task")
        return task

    def _worth(self, critique: Critique, task: str | None) -> Score:
        weights = {dimension.name: dimension.weight for dimension in critique.checklist.scored}
        info: dict[str, Any] = {
            "scores": dict(critique.scores),
            "checklist": critique.checklist.name,
            "missing": list(critique.missing),
            "unsupported": dict(critique.unsupported),
            "quoted": critique.quoted,
            "unquoted": list(critique.unquoted),
            "extra": critique.extra,
            "task": critique.task if self._part != ANSWER else task,
            "tokens": critique.tokens,
        }
        if not critique.scores or (critique.missing and self._options.on_missing_score == "fail"):
            return Score(info=info, error=f"no score for {', '.join(critique.missing)}")
        total = sum(weights[name] for name in critique.scores)
        shares = [weights[name] / total for name in critique.scores]
        given = list(critique.scores.values())
        mean, deviation = weighted_mean(given, shares), weighted_deviation(given, shares)
        value = self._options.smoothing.factor(deviation) * mean
        return Score(value=value, info={**info, "unsmoothed": mean, "std": deviation})
