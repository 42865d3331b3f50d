"""Stage `rl`: sample a group for each prompt, score it with the recipe's reward, climb, keep a checkpoint."""

import json
import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from rewardlab import Sample
from rewardlab.errors import JobError
from rewardlab.files import LineAppender
from rewardlab.recipe import RlStage
from rewardlab.scoring import MissingGuard, ScoredGroup, Scorer
from rewardlab.training import (
    StageJob,
    group_advantages,
    judge_metrics,
    metrics_of_step,
    reading_order,
    steps_of,
)

from toy_rewards.engine.evaluate import evaluate_after, evaluate_before
from toy_rewards.engine.policy import FILE, Policy, load


def train(job: StageJob, stage: RlStage, policy: Policy, rate: float) -> Policy:
    """Return the policy after the stage's last step, trained from the last checkpoint on, if there is one.

    Raises KeyboardInterrupt where the user stopped it.
    """
    samples = job.training_samples()
    steps = steps_of(stage, len(samples))
    order = reading_order(job.plan, job.index, samples)
    checkpoints = job.run.folder("checkpoints", job.name)
    log_file = job.run.folder("logs") / f"{job.name}.jsonl"
    with job.open_scorer() as scorer, closing(LineAppender(log_file)) as log:
        evaluate_before(job, stage, policy, scorer)
        policy = load(checkpoints) if (checkpoints / FILE).exists() else replace(policy, step=0)
        try:
            while policy.step < steps:
                if job.run.stop.is_set():
                    raise KeyboardInterrupt
                read = policy.step * stage.batch_size
                batch = [samples[row] for row in order[read : read + stage.batch_size]]
                policy = _step(job, stage, policy, batch, rate, scorer, log)
                if stage.save_every and policy.step % stage.save_every == 0:
                    policy.save(checkpoints)
        finally:  # a stop, Ctrl-C or a reward that fails costs no step; a killed process goes back to `save_every`
            policy.save(checkpoints)
        evaluate_after(job, stage, policy, scorer)
    return policy


def _step(
    job: StageJob,
    stage: RlStage,
    policy: Policy,
    batch: Sequence[Sample],
    rate: float,
    scorer: Scorer,
    log: LineAppender,
) -> Policy:
    """Return the policy after one more step. What it learns from is in the ledger before it learns."""
    step = policy.step + 1
    seeds = [f"{job.plan.recipe.seed}/{job.index}/{step}/{place}" for place in range(len(batch))]
    pairs = zip(batch, seeds, strict=True)
    groups = [policy.sample(sample, stage.group_size, stage.temperature, seed) for sample, seed in pairs]
    scored = scorer.score_groups(groups)
    try:
        _refuse_missing(job, scored)
    except JobError:
        job.ledger.write(job.index, step, scored, trained="no")
        raise
    job.ledger.write(job.index, step, scored, trained="yes")
    metrics = metrics_of_step(scored) | judge_metrics(job.usage.write(job.index, step, scorer.judges.usage()))
    numbers = {name: value if math.isfinite(value) else None for name, value in metrics.items()}
    advantages = [group_advantages(stage.algorithm, group) for group in scored]
    told = {group.sample.id: of_group for group, of_group in zip(scored, advantages, strict=True)}
    line = {"attempt": job.run.attempt, "step": step, **numbers, "advantages": told}
    log.write(json.dumps(line).encode() + b"\n")
    return policy.trained(scored, advantages, stage.temperature, rate)


def _refuse_missing(job: StageJob, scored: Sequence[ScoredGroup]) -> None:
    """Raise JobError where more of a component's scores failed in this step than the recipe allows."""
    guard = MissingGuard(job.plan.uses_in_total)
    for group in scored:
        guard.count(group)
    guard.check()
