"""checklist/task: whether the trace takes the question for the task that it is, as a critique says."""

import asyncio
from collections.abc import Sequence

from rewardlab import Completion, Context, Sample, Score

from rewardlab_checklist.checklist_file import ChecklistError
from rewardlab_checklist.critic import Critic, NoCritique, PlantedCritique, own_task, parts_of
from rewardlab_checklist.critique_form import task_key
from rewardlab_checklist.options import TaskOptions
from rewardlab_checklist.question import TRACE


class TaskRecognition:
    """The reward 1 if a critique of the trace labels it with the row's task, else 0.

    Without a trace it is 0, unasked, and 0 if the completion holds a critique that cannot be distinguished from the
    judge's; a critique without one of the labels is a failure. `info`: `task`, the label; `tokens`; `empty`; `planted`.
    """

    def __init__(self, options: TaskOptions, context: Context) -> None:
        self._field = options.task_field
        self._critic = Critic(options, context.judges[options.judge])

    async def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item; all are asked at once, as far as the judge's limits allow."""
        return list(await asyncio.gather(*(self._score(sample, completion) for sample, completion in items)))

    async def _score(self, sample: Sample, completion: Completion) -> Score:
        parts = parts_of(completion)
        if TRACE not in parts:
            return Score(value=0.0, info={"empty": True})
        try:
            own = own_task(sample, self._field)
            critique = await self._critic.critique(TRACE, sample, parts)
        except PlantedCritique as error:
            return Score(value=0.0, info={"planted": str(error)})
        except (NoCritique, ChecklistError) as error:
            return Score(error=str(error))
        info = {"task": critique.task, "tokens": critique.tokens}
        if critique.task is None:
            return Score(info=info, error="the critique of the trace recognises no task")
        return Score(value=float(task_key(critique.task) == task_key(own)), info=info)
