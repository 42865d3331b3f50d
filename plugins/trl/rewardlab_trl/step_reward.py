"""The reward function of an rl stage: it scores a step's completions and hands TRL their advantages."""

from collections.abc import Sequence
from typing import Any

from rewardlab import Group, Sample
from rewardlab.errors import JobError
from rewardlab.training import (
    MissingGuard,
    RlStage,
    ScoredGroup,
    Scorer,
    StageJob,
    Usage,
    batch_advantages,
    judge_metrics,
    metrics_of_step,
    numbers_of_group,
)

from rewardlab_trl.completions import CompletionReader
from rewardlab_trl.group_rounds import GroupRounds


class StepReward:
    """The function that TRL calls once a step with B x G completions, the G of a prompt one after the other.

    It scores them, writes the ledger, logs a mean for each component, and returns the advantages. With `rounds` the
    recipe's group sampler has chosen them, and they are scored.
    """

    __name__ = "advantage"  # TRL's name for the function in its logs

    def __init__(
        self,
        job: StageJob,
        stage: RlStage,
        samples: Sequence[Sample],
        scorer: Scorer,
        reader: CompletionReader,
        rounds: GroupRounds | None = None,
    ):
        self._job = job
        self._stage = stage
        self._samples = samples
        self._scorer = scorer
        self._reader = reader
        self._rounds = rounds
        self._guard = MissingGuard(job.plan.uses_in_total)
        self.dropped: list[bool] = []
        """of the step's completions, in order, whether they are left out of the loss"""

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
        scored, discarded = self._scored(prompts, completion_ids, row)
        self._guard.reset()
        for group in (*scored, *discarded):
            self._guard.count(group)
        step = trainer_state.global_step // self._stage.updates + 1
        if discarded:
            self._job.ledger.write(self._job.index, step, discarded, trained="no")
        try:
            self._guard.check()
        except JobError:
            self._job.ledger.write(self._job.index, step, scored, trained="no")
            raise
        left_out = [self._stage.on_flat == "drop" and numbers_of_group(group).flat for group in scored]
        self.dropped = [one for one in left_out for _ in range(self._stage.group_size)]
        for trained, dropped in (("yes", False), ("no", True)):
            groups = [group for group, out in zip(scored, left_out, strict=True) if out is dropped]
            if groups:
                self._job.ledger.write(self._job.index, step, groups, trained=trained)
        asked = self._scorer.judges.usage()
        since = self._job.usage.write(self._job.index, step, asked)
        usage = {name: since.get(name, Usage()) for name in asked}  # the same keys at every step
        for name, value in (metrics_of_step(scored) | judge_metrics(usage)).items():
            log_metric(name, value)
        return batch_advantages(self._stage.algorithm, scored)

    def _scored(
        self, prompts: Sequence[str], completion_ids: Sequence[list[int]], rows: Sequence[int]
    ) -> tuple[list[ScoredGroup], list[ScoredGroup]]:
        """Return the scored groups of the step, and the completions that a group sampler did not choose."""
        if self._rounds is None:
            return self._scorer.score_groups(self._groups(prompts, completion_ids, rows)), []
        pooled = self._rounds.taken()
        return [one.group for one in pooled], [one.discarded for one in pooled if one.discarded is not None]

    def _groups(self, prompts: Sequence[str], completion_ids: Sequence[list[int]], rows: Sequence[int]) -> list[Group]:
        completions = self._reader.read(prompts, completion_ids)
        size, groups = self._stage.group_size, []
        for start in range(0, len(rows), size):
            if len(set(rows[start : start + size])) != 1:
                raise AssertionError("TRL did not keep the completions of a prompt together")
            group = tuple(completions[start : start + size])
            groups.append(Group(sample=self._samples[rows[start]], completions=group))
        return groups
