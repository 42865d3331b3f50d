"""The reward of an rl stage: a step's groups are scored, written to the ledger, and become advantages."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rewardlab import Completion, Group
from rewardlab.concurrency import gather_or_cancel
from rewardlab.errors import JobError
from rewardlab.judging import Usage
from rewardlab.recipe import ComponentUse, RlStage
from rewardlab.scoring import MissingGuard, Pool, PooledGroup, ScoredGroup, Scorer

from rewardlab_training.advantages import batch_advantages, whitens
from rewardlab_training.group_numbers import metrics_of_step
from rewardlab_training.stage import StageJob


def collect_groups(
    scorer: Scorer,
    first: Sequence[Group],
    generate: Callable[[Sequence[int]], Sequence[Completion]],
    progress: float | None = None,
) -> list[PooledGroup]:
    """Return the group that is trained on for each prompt, in order. Not for use on an event loop.

    Args:
        first: each prompt with its first G completions.
        generate: called with places in `first`, as often as each of them wants a further completion, in order;
            gives one completion for each. While it runs, nothing is being scored.
        progress: of the training, 0 to 1. JobError if a reward, a judge or the group sampler ends the job.
    """
    pools = [scorer.collect(group.sample, len(group.completions), progress=progress, sampled=True) for group in first]
    try:
        for pool, group in zip(pools, first, strict=True):
            for index, completion in enumerate(group.completions):
                pool.put(index, completion)
        _add_rounds(scorer, pools, [len(group.completions) for group in first], generate)
        return scorer.run(gather_or_cancel(pool.scored() for pool in pools))
    except BaseException:
        for pool in pools:
            pool.drop()
        raise


def _add_rounds(
    scorer: Scorer,
    pools: Sequence[Pool],
    sizes: list[int],
    generate: Callable[[Sequence[int]], Sequence[Completion]],
) -> None:
    """Put further completions into the pools until each has said once that it wants no more."""
    growing = list(range(len(pools)))
    while growing:
        wanted = scorer.run(gather_or_cancel(pools[place].more() for place in growing))
        places = [place for place, count in zip(growing, wanted, strict=True) for _ in range(count)]
        growing = [place for place, count in zip(growing, wanted, strict=True) if count]
        for place, completion in zip(places, generate(places) if places else (), strict=True):
            pools[place].put(sizes[place], completion)
            sizes[place] += 1


@dataclass(frozen=True, kw_only=True)
class StepRewards:
    """The outcome of a step for its trainer.

    Args:
        advantages: a number for each completion, group after group, to be trained on as it is.
        dropped: whether the completion's group is left out of the loss.
        metrics: for the step's line of the log; `timing/scoring`, the seconds of scoring, unless a group sampler
            has chosen.
    """

    advantages: Sequence[float]
    dropped: Sequence[bool]
    metrics: dict[str, float]


def refuse_step(uses: Mapping[str, ComponentUse], scored: Iterable[ScoredGroup]) -> None:
    """Raise a JobError if too much is missing in the groups of a step, which is looked at by itself."""
    guard = MissingGuard(uses)
    for group in scored:
        guard.count(group)
    guard.check()


class StageReward:
    """The recipe's reward in one rl stage, asked once a step, before the policy learns from it.

    It scores, writes the ledger and the usage of judges, and ends the job if too many scores are missing. collects:
    whether a group sampler chooses the groups, of completions that it wants in rounds.
    """

    def __init__(self, job: StageJob, scorer: Scorer, steps: int) -> None:
        """Take a stage of so many steps, of which earlier attempts may have done some."""
        assert isinstance(job.stage, RlStage)
        self._job, self._stage, self._scorer, self._steps = job, job.stage, scorer, steps
        assert job.plan.recipe.reward is not None
        self._correctness = job.plan.recipe.reward.correctness
        self._chosen: list[PooledGroup] = []
        self.collects = job.plan.sampler is not None

    def collect(
        self, step: int, first: Sequence[Group], generate: Callable[[Sequence[int]], Sequence[Completion]]
    ) -> list[tuple[int, ...]]:
        """Let the group sampler choose the groups of a step; return which completions of each prompt it keeps.

        Args:
            step: as in `score`.
            first: each prompt with its first completions.
            generate: called with places in `first` for rounds of further completions, one for each place.
        """
        self._chosen = collect_groups(self._scorer, first, generate, self._progress(step))
        return [choice.kept for choice in self._chosen]

    def score(self, step: int, groups: Sequence[Group] = ()) -> StepRewards:
        """Return the rewards of a step, which counts from 1; without groups, of those that `collect` has chosen.

        Raises JobError if a component failed and its policy for missing values says so.
        """
        metrics: dict[str, float] = {}
        at = self._progress(step)
        began = time.monotonic()
        scored = self._scorer.score_groups(groups, progress=at) if groups else self._take_chosen(step, metrics)
        if groups:
            metrics["timing/scoring"] = time.monotonic() - began
        self._refuse_missing(step, scored)
        for drop, trained in ((True, "no"), (False, "yes")):
            of_kind = [group for group in scored if (group.left_out is not None) is drop]
            self._job.ledger.write(self._job.index, step, of_kind, trained=trained)
        asked = self._scorer.judges.usage()
        since = self._job.usage.write(self._job.index, step, asked)
        metrics |= metrics_of_step(scored, {name: since.get(name, Usage()) for name in asked}, self._correctness)
        dropped = [group.left_out is not None for group in scored for _ in group.completions]
        if self._scorer.teaching is not None:
            metrics["group/dropped"] = sum(group.left_out is not None for group in scored) / len(scored)
        # no statistic of the batch counts a dropped group
        trained_on = [group for group in scored if group.left_out is None]
        values = iter(batch_advantages(self._stage.algorithm, trained_on, whitens(self._job.plan)))
        advantages = [0.0 if drop else next(values) for drop in dropped]
        return StepRewards(advantages=advantages, dropped=dropped, metrics=metrics)

    def _progress(self, step: int) -> float:
        """Return the share of the stage's steps that is done before this one."""
        return (step - 1) / self._steps

    def _take_chosen(self, step: int, metrics: dict[str, float]) -> list[ScoredGroup]:
        """Return the groups that were chosen, once the ledger has those that were not."""
        chosen, self._chosen = self._chosen, []
        unchosen = [choice.discarded for choice in chosen if choice.discarded is not None]
        self._job.ledger.write(self._job.index, step, unchosen, trained="no")
        completions = sum(len(group.completions) for group in (*(choice.group for choice in chosen), *unchosen))
        metrics["group/sampled"] = completions / len(chosen)
        return [choice.group for choice in chosen]

    def _refuse_missing(self, step: int, scored: Sequence[ScoredGroup]) -> None:
        try:
            refuse_step(self._job.plan.guarded_uses, scored)
        except JobError:
            self._job.ledger.write(self._job.index, step, scored, trained="no")
            raise
