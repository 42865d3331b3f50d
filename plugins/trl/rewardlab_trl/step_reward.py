"""The reward function of an rl stage: it scores a step's completions and hands TRL their advantages."""

from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Group, Sample
from rewardlab.errors import JobError
from rewardlab.training import (
    MissingGuard,
    PromptFormat,
    RlStage,
    Scorer,
    StageJob,
    Usage,
    batch_advantages,
    judge_metrics,
    metrics_of_step,
)


class StepReward:
    """The function that TRL calls once a step with B x G completions, the G of a prompt one after the other.

    It scores them, writes the ledger, logs a mean for each component, and returns the advantages. `ends` are the ids of
    the tokens that end a completion.
    """

    __name__ = "advantage"  # TRL's name for the function in its logs

    def __init__(
        self,
        job: StageJob,
        stage: RlStage,
        samples: Sequence[Sample],
        scorer: Scorer,
        prompt_format: PromptFormat,
        ends: Sequence[int],
    ):
        self._job = job
        self._stage = stage
        self._samples = samples
        self._scorer = scorer
        self._prompt_format = prompt_format
        self._ends = frozenset(ends)
        self._guard = MissingGuard(job.plan.uses_in_total)

    def __call__(
        self,
        prompts: Sequence[str],
        completion_ids: Sequence[list[int]],
        row: Sequence[int],
        trainer_state: Any,
        log_metric: Any,
        **_: Any,
    ) -> list[float]:
        """Return B x G advantages. A JobError where a component failed and its policy for missing values says so."""
        scored = self._scorer.score_groups(self._groups(prompts, completion_ids, row))
        self._guard.reset()
        for group in scored:
            self._guard.count(group)
        step = trainer_state.global_step // self._stage.updates + 1
        try:
            self._guard.check()
        except JobError:
            self._job.ledger.write(self._job.index, step, scored, trained="no")
            raise
        self._job.ledger.write(self._job.index, step, scored, trained="yes")
        asked = self._scorer.judges.usage()
        since = self._job.usage.write(self._job.index, step, asked)
        usage = {name: since.get(name, Usage()) for name in asked}  # the same keys at every step
        for name, value in (metrics_of_step(scored) | judge_metrics(usage)).items():
            log_metric(name, value)
        return batch_advantages(self._stage.algorithm, scored)

    def _groups(self, prompts: Sequence[str], completion_ids: Sequence[list[int]], rows: Sequence[int]) -> list[Group]:
        texts = self._prompt_format.decode(completion_ids)
        completions = [
            Completion(
                text=self._prompt_format.opened(prompt) + text,
                token_count=len(ids),
                truncated=ids[-1] not in self._ends,
            )
            for prompt, text, ids in zip(prompts, texts, completion_ids, strict=True)
        ]
        size, groups = self._stage.group_size, []
        for start in range(0, len(rows), size):
            if len(set(rows[start : start + size])) != 1:
                raise AssertionError("TRL did not keep the completions of a prompt together")
            group = tuple(completions[start : start + size])
            groups.append(Group(sample=self._samples[rows[start]], completions=group))
        return groups
