"""Evaluating a policy: sample on the evaluation's prompts, score with the recipe's reward, keep every completion."""

from pathlib import Path

from rewardlab.data import stratified_sample
from rewardlab.recipe import Evaluation, RlStage
from rewardlab.scoring import Scorer
from rewardlab.training import (
    Phase,
    Results,
    StageJob,
    results_table,
    summarise,
    write_evaluation_rows,
)

from toy_rewards.engine.policy import Policy


def evaluate_before(job: StageJob, stage: RlStage, policy: Policy, scorer: Scorer) -> None:
    """Evaluate the policy that an rl stage starts from, where the recipe says so and no earlier attempt did it."""
    if stage.evaluation is not None and stage.eval_before and not _path(job, "before").exists():
        evaluate(job, stage.evaluation, policy, scorer, "before", "before", 0)


def evaluate_after(job: StageJob, stage: RlStage, policy: Policy, scorer: Scorer) -> None:
    """Evaluate the trained policy, where the recipe says so, and print what has changed."""
    if stage.evaluation is not None:
        results = evaluate(job, stage.evaluation, policy, scorer, "after", "after", policy.step)
        before = _path(job, "before")
        job.say(results_table(results, Results.load(before) if before.exists() else None))


def evaluate(
    job: StageJob,
    settings: Evaluation,
    policy: Policy,
    scorer: Scorer,
    when: str,
    phase: Phase = "eval",
    step: int | None = None,
) -> Results:
    """Return the results of an evaluation; they, the completions and their rows of the ledger are written."""
    samples = stratified_sample(job.evaluation_samples(), settings.prompts, settings.split_by)
    temperature, seed = _temperature(job, settings), f"{job.plan.recipe.seed}/evaluation"
    groups = [policy.sample(sample, settings.samples, temperature, seed) for sample in samples]
    scored = scorer.score_groups(groups, zero_truncated=False)
    job.usage.write(job.index, None, scorer.judges.usage())
    job.ledger.write(job.index, step, scored, trained="no", phase=phase)
    write_evaluation_rows(_path(job, when).with_suffix(".rows.jsonl"), scored)
    results = summarise(scored, settings.split_by, name=f"{job.name} {when}")
    results.save(_path(job, when))
    return results


def _path(job: StageJob, when: str) -> Path:
    return job.run.folder("evaluation") / f"{job.name}-{when}.json"


def _temperature(job: StageJob, settings: Evaluation) -> float:
    if settings.temperature is not None:
        return settings.temperature
    return job.stage.temperature if isinstance(job.stage, RlStage) else 1.0
