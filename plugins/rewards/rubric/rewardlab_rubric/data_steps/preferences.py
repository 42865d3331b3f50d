"""The data step rubric/preferences: pairs to train a policy on by dpo, from any judge's preference among its answers.

Source: R3 (Anugraha et al. 2025), section 3.4; mR3, section 3.3 and appendix C.3: of prompts in several languages two,
at random.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

from rewardlab import Ask, Completion, Context, Group, GroupStream, Sample, Score
from rewardlab.data import in_order
from rewardlab.errors import JobError, UserError
from rewardlab_data.dropped_rows import DroppedRow, DroppedRows

from rewardlab_rubric.data_steps.asking import UnusableReply, refused_reply, seeded
from rewardlab_rubric.data_steps.judging_options import PreferencesOptions
from rewardlab_rubric.strategies.unasked_rows import without_texts

ROWS_AT_ONCE = 64
COMPLETIONS = "completions"


class PreferenceRows:
    """An iterable of samples, streaming; each iteration asks again.

    A row is its source's with `chosen` and `rejected`, the answers with the highest and the lowest reward (of equals
    the first), `rewards` of all answers in their order, and `margin`, the difference of the two; without `completions`.

    Iterating raises UserError for a row without answers, and JobError if a policy or judge gives no answer, or too
    many rows must be dropped.
    """

    def __init__(self, options: PreferencesOptions, context: Context) -> None:
        self._options, self._source, self._seed = options, context.source, context.seed
        self._policy = None if options.policy is None else context.judges[options.policy]
        self._rewards = _rewards(options, context)

    def __iter__(self) -> Iterator[Sample]:
        tally = DroppedRows("rubric/preferences", self._options.max_dropped, "have answers that could not be scored")
        with closing(in_order(self._taken(), self._row, ROWS_AT_ONCE)) as outcomes:
            yield from filter(tally.keeps, outcomes)
        tally.close(0)

    def _taken(self) -> Iterable[Sample]:
        """Return the source's rows, with translations of each other limited by the options."""
        field, most = self._options.parallel, self._options.most_parallel
        if field is None:
            return self._source
        rows, topics = list(self._source), defaultdict[str, list[Sample]](list)
        for sample in rows:
            for needed in self._options.needs:  # whether a row is taken hangs on the others: all have to be sound
                if sample.fields.get(needed) is None:
                    raise UserError(f"no field {needed!r}, which each row needs", where=sample.source)
            topics[json.dumps(sample.fields[field], sort_keys=True)].append(sample)
        drawn = {sample.id for same in topics.values() for sample in sorted(same, key=self._turn)[:most]}
        return (sample for sample in rows if sample.id in drawn)

    def _turn(self, sample: Sample) -> float:
        return seeded(self._seed, "parallel", sample.id).random()

    async def _row(self, sample: Sample) -> Sample | DroppedRow:
        if (why := without_texts(self._options, sample)) is not None:
            return self._dropped(sample, "no question in its language", why, "judge")
        try:
            answers = await self._answers(sample)
        except UnusableReply as refused:
            return self._dropped(sample, refused.reason, refused.detail, "judge")
        scores = await self._rewards(sample, answers)
        missing = next((score for score in scores if score.value is None), None)
        if missing is not None:
            why = str(missing.error or missing.info.get("reason"))
            return self._dropped(sample, "an answer could not be scored", why, "judge")
        values = [float(score.value) for score in scores if score.value is not None]
        best, worst = values.index(max(values)), values.index(min(values))
        margin = values[best] - values[worst]
        if margin < self._options.margin:
            return self._dropped(sample, "no answer is preferred", f"margin {margin:.3g}", "source")
        kept = {name: value for name, value in sample.fields.items() if name != COMPLETIONS}
        made = {"chosen": answers[best], "rejected": answers[worst], "margin": margin, "rewards": values}
        return replace(sample, fields={**kept, **made})

    def _dropped(self, sample: Sample, reason: str, detail: str, fault: Any) -> DroppedRow:
        return DroppedRow(where=sample.source or sample.id, reason=reason, detail=detail, fault=fault)

    async def _answers(self, sample: Sample) -> list[str]:
        if self._policy is not None:
            return list(await asyncio.gather(*(self._answer(sample, n) for n in range(self._options.candidates))))
        answers = sample.fields.get(COMPLETIONS)
        if not isinstance(answers, list) or len(answers) < 2 or not all(isinstance(text, str) for text in answers):
            problem = f"{COMPLETIONS!r} must be a list of two texts at least; or name a `policy` that is to write them"
            raise UserError(problem, where=sample.source)
        return answers

    async def _answer(self, sample: Sample, draw: int) -> str:
        assert self._policy is not None
        ask = Ask(messages=list(sample.prompt), parts={}, params=self._options.params, draw=draw)
        reply = await self._policy.ask(ask)
        if (refused := refused_reply(reply)) is not None:
            raise refused
        if reply.error is not None:
            where = sample.source or sample.id
            raise JobError(f"{where}: policy {self._options.policy!r} gave no answer: {reply.error}")
        return reply.text


def _rewards(options: PreferencesOptions, context: Context) -> Any:
    """Return the function that scores a row's answers."""
    if options.asks == "pairwise":
        from rewardlab_rubric.pairwise import RubricWinRate

        reward = RubricWinRate(options.reward, context)

        async def compared(sample: Sample, answers: list[str]) -> list[Score]:
            completions = [Completion(text=text) for text in answers]
            return await reward.score(GroupStream.of(Group(sample=sample, completions=completions)))

        return compared
    from rewardlab_rubric.pointwise import RubricScore

    single = RubricScore(options.reward, context)

    async def scored(sample: Sample, answers: list[str]) -> list[Score]:
        return await single.score([(sample, Completion(text=text)) for text in answers])

    return scored
