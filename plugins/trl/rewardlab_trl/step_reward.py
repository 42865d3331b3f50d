"""The reward function of an rl stage: it scores a step's completions and hands TRL their advantages."""

from collections.abc import Sequence
from typing import Any

from rewardlab.errors import JobError
from rewardlab.judging import Usage
from rewardlab.recipe import RlStage
from rewardlab.scoring import MissingGuard, ScoredGroup, Scorer
from rewardlab.training import StageJob, batch_advantages, is_flat, judge_metrics, metrics_of_step

from rewardlab_trl.completions import CompletionReader
from rewardlab_trl.sampled_groups import SampledGroups


class StepReward:
    """The function that TRL calls once a step with B x G completions, the G of a prompt one after the other.

    It scores them, writes the ledger, logs a mean for each component, and returns the advantages.
    advantages: of the last B x G completions.
    sampled: the groups of a group sampler, which are scored when they are chosen; None without one. dropped: of each of
    the last B x G completions, whether its group is left out of the loss.
    """

    __name__ = "advantage"  # TRL's name for the function in its logs

    def __init__(
        self,
        job: StageJob,
        stage: RlStage,
        scorer: Scorer,
        reader: CompletionReader,
        sampled: SampledGroups | None = None,
    ) -> None:
        self._job = job
        self._stage = stage
        self._scorer = scorer
        self._reader = reader
        self.sampled = sampled
        self.advantages: list[float] = []
        self.dropped: list[bool] = []
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
        step = trainer_state.global_step // self._stage.updates + 1
        if self.sampled is None:
            scored = self._scorer.score_groups(self._reader.groups(prompts, completion_ids, row))
        else:
            scored = self._take(self.sampled, step, log_metric)
        self._guard.reset()
        for group in scored:
            self._guard.count(group)
        try:
            self._guard.check()
        except JobError:
            self._job.ledger.write(self._job.index, step, scored, trained="no")
            raise
        flat = [self._stage.zero_variance_groups == "drop" and is_flat(group) for group in scored]
        self.dropped = [drop for drop, group in zip(flat, scored, strict=True) for _ in group.completions]
        for drop, trained in ((True, "no"), (False, "yes")):
            groups = [group for group, its in zip(scored, flat, strict=True) if its is drop]
            self._job.ledger.write(self._job.index, step, groups, trained=trained)
        asked = self._scorer.judges.usage()
        since = self._job.usage.write(self._job.index, step, asked)
        usage = {name: since.get(name, Usage()) for name in asked}  # the same keys at every step
        for name, value in (metrics_of_step(scored) | judge_metrics(usage)).items():
            log_metric(name, value)
        if self._stage.zero_variance_groups == "drop":
            log_metric("group/dropped", sum(flat) / len(flat))
        self.advantages = self._advantages(scored, flat)
        return self.advantages

    def _advantages(self, scored: Sequence[ScoredGroup], flat: Sequence[bool]) -> list[float]:
        """Return B x G advantages, 0 in dropped groups, which no statistic of the batch counts."""
        trained = [group for group, drop in zip(scored, flat, strict=True) if not drop]
        values = iter(batch_advantages(self._stage.algorithm, trained))
        return [0.0 if drop else next(values) for drop in self.dropped]

    def _take(self, sampled: SampledGroups, step: int, log_metric: Any) -> list[ScoredGroup]:
        """Return the groups that were chosen, once the ledger has what was not."""
        pooled = sampled.take()
        unchosen = [one.discarded for one in pooled if one.discarded is not None]
        self._job.ledger.write(self._job.index, step, unchosen, trained="no")
        completions = sum(len(group.completions) for group in (*(one.group for one in pooled), *unchosen))
        log_metric("group/sampled", completions / len(pooled))
        return [one.group for one in pooled]
