"""The best of a stage's checkpoints: each answers the rows of `validation`, and one component scores the answers.

Source: mR3 (Anugraha et al. 2025), which keeps the epoch with the highest Kendall's tau on HelpSteer3.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab import Context, Group, Sample, Score
from rewardlab.errors import JobError, UserError
from rewardlab.files import read_record, write_json
from rewardlab.recipe import Validation
from rewardlab.scoring import ScoredGroup

from rewardlab_training.datasets import is_held_out, read_dataset
from rewardlab_training.rank_correlation import kendall_tau_b
from rewardlab_training.sampling import stratified_sample
from rewardlab_training.stage import StageJob
from rewardlab_training.stage_datasets import validation_dataset

Sampler = Callable[[Path, Sequence[Sample]], list[Group]]
"""sampler(checkpoint, rows): a group of one greedy completion for each row"""


@dataclass(frozen=True, kw_only=True)
class CheckpointScore:
    """A checkpoint's figure. value: higher is better; None if too few answers have a score, or all are equal."""

    step: int
    value: float | None
    answers: int
    missing: int


def best_checkpoint(job: StageJob, checkpoints: Mapping[int, Path], sample: Sampler) -> Path:
    """Return the folder of the checkpoint that scores best in the stage's `validation`; of equals the earlier one.

    Args:
        checkpoints: step -> folder. What an earlier attempt measured is not measured again.

    Raises UserError for rows that cannot decide, and JobError if no checkpoint has a figure, or a component's policy
    for missing values says so.
    """
    validation = getattr(job.stage, "validation", None)
    assert isinstance(validation, Validation)
    rows = validation_samples(job, validation)
    measured = [_measured(job, validation, rows, step, checkpoints[step], sample) for step in sorted(checkpoints)]
    for checkpoint in measured:
        job.say(_line(validation, checkpoint))
    able = [(checkpoint.value, -checkpoint.step) for checkpoint in measured if checkpoint.value is not None]
    if not able:
        raise JobError(f"{job.where}: no checkpoint can be chosen by {validation.component}; its lines above say why")
    chosen = -max(able)[1]
    job.say(f"keeps the checkpoint of step {chosen}, the best of {len(measured)}")
    return checkpoints[chosen]


def validation_samples(job: StageJob, validation: Validation) -> list[Sample]:
    """Return the rows that decide. UserError if there is none, or one has no number in the field `gold`."""
    place, only_held_out = validation_dataset(job.plan, job.index)
    planned = job.plan.datasets[place]
    rows = list(read_dataset(planned, Context(seed=job.plan.recipe.seed)))
    if only_held_out:
        rows = [row for row in rows if is_held_out(row, planned.use.holdout)]
    if not rows:
        problem = f"no row of {planned.use.use} is held out to choose a checkpoint by; set `holdout`, or name a dataset"
        raise UserError(problem, where=job.plan.document.where(("stages", job.index, "validation")))
    if validation.metric == "kendall_tau":
        for row in rows:
            if _number(row.fields.get(validation.gold)) is None:
                problem = f"field {validation.gold!r} holds {row.fields.get(validation.gold)!r}, which is not a number"
                raise UserError(f"{problem}; `validation.gold` names the field with the right score", where=row.place())
    return stratified_sample(rows, validation.prompts, ["language"])


def _measured(
    job: StageJob, validation: Validation, rows: Sequence[Sample], step: int, checkpoint: Path, sample: Sampler
) -> CheckpointScore:
    path = job.run.folder("validation") / f"{job.name}-{step}.json"
    if path.exists():
        return read_record(path, CheckpointScore)
    groups = sample(checkpoint, rows)
    with job.open_scorer() as scorer:
        scored = scorer.score_groups(groups, evaluation=True)
        job.usage.write(job.index, None, scorer.judges.usage())
    score = checkpoint_score(validation, step, scored)
    write_json(path, score.__dict__)
    return score


def checkpoint_score(validation: Validation, step: int, scored: Sequence[ScoredGroup]) -> CheckpointScore:
    """Return the figure of a checkpoint from its scored answers."""
    pairs = [(group.sample, group.components[validation.component][0]) for group in scored]
    given = [(row, score) for row, score in pairs if score.value is not None]
    missing = len(pairs) - len(given)
    value: float | None = None
    if given and missing <= validation.max_missing * len(pairs):
        value = _tau(validation, given) if validation.metric == "kendall_tau" else _mean(given)
    return CheckpointScore(step=step, value=value, answers=len(pairs), missing=missing)


def _mean(given: Sequence[tuple[Sample, Score]]) -> float:
    return sum(score.value or 0.0 for _, score in given) / len(given)


def _tau(validation: Validation, given: Sequence[tuple[Sample, Score]]) -> float | None:
    values = [_number(score.info.get("raw")) for _, score in given]
    if any(value is None for value in values):
        shown = next(score.info.get("raw") for (_, score), value in zip(given, values, strict=True) if value is None)
        problem = f"{validation.component} read {shown!r}, which is not a number"
        raise UserError(f"{problem}; `metric: kendall_tau` is for scales, such as those of rubric/verdict")
    gold = [_number(row.fields.get(validation.gold)) for row, _ in given]
    return kendall_tau_b([value or 0.0 for value in values], [value or 0.0 for value in gold])


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _line(validation: Validation, checkpoint_score: CheckpointScore) -> str:
    lacking = (
        f"; {checkpoint_score.missing} of {checkpoint_score.answers} answers have no score"
        if checkpoint_score.missing
        else ""
    )
    shown = "none" if checkpoint_score.value is None else f"{checkpoint_score.value:.4f}"
    return f"step {checkpoint_score.step}: {validation.metric} of {validation.component} {shown}{lacking}"
