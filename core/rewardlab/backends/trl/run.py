"""Running a recipe's stages, one after the other, each from the model that the last one wrote."""

from collections.abc import Callable
from pathlib import Path

from rewardlab.backends.trl.settings import prepare_process, quiet_libraries
from rewardlab.datasets import is_held_out, read_dataset
from rewardlab.errors import JobError, UserError
from rewardlab.ledger import Ledger, RunDirectory
from rewardlab.plan import Plan, Planned
from rewardlab.recipe import DataStage, EvalStage, Evaluation, RlStage, SftStage, TinyModel
from rewardlab.specs import Context
from rewardlab.types import Sample

EVALUATION_TEMPERATURE = 1.0


def run(plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
    """Run the stages that are not done (or stage `only`) in `directory`.

    Raises KeyboardInterrupt where the user stopped it; what was done is kept.
    """
    prepare_process()
    from rewardlab.backends.trl.stage import StageJob

    quiet_libraries()
    ledger = Ledger(directory.path / "ledger.jsonl", directory.attempt)
    try:
        for index, stage in enumerate(plan.recipe.stages):
            if (only is not None and index != only) or (only is None and index in directory.done):
                continue
            job = StageJob(plan=plan, run=directory, ledger=ledger, index=index, say=say)
            say(f"stage {index} of {len(plan.recipe.stages)}: {stage.use}")
            _run_stage(job)
            directory.finish_stage(index)
    finally:
        ledger.close()


def _run_stage(job) -> None:
    stage = job.plan.recipe.stages[job.index]
    output = job.run.path / "models" / job.name
    if isinstance(stage, DataStage):
        from rewardlab.data_stage import write_dataset

        write_dataset(job.plan, job.index, job.say)
    elif isinstance(stage, SftStage):
        from rewardlab.backends.trl import sft

        sft.train(job, stage, _training_samples(job.plan, job.index), _model_before(job), output)
    elif isinstance(stage, RlStage):
        from rewardlab.backends.trl import rl

        samples = _training_samples(job.plan, job.index)
        rl.train(job, stage, samples, _model_before(job), output, _evaluator(job, stage))
    elif isinstance(stage, EvalStage):
        _evaluate(job, stage)
    else:
        raise JobError(f"the trl backend runs no stage {stage.use!r}")


def _samples(plan: Plan, planned: Planned) -> list[Sample]:
    return list(read_dataset(planned, Context(seed=plan.recipe.seed)))


def _training_samples(plan: Plan, index: int) -> list[Sample]:
    planned = plan.stage_dataset(index)
    samples = [s for s in _samples(plan, planned) if not is_held_out(s, planned.use.holdout)]
    if not samples:
        raise UserError(f"stages.{index}: every row of {planned.use.use} is held out; none is left to train on")
    return samples


def _evaluator(job, stage: RlStage | EvalStage):
    settings: Evaluation | None = stage.evaluation if isinstance(stage, RlStage) else stage
    if settings is None:
        return None
    from rewardlab.backends.trl.evaluation import Evaluator

    planned, only_held_out = job.plan.evaluation_dataset(job.index)
    samples = _samples(job.plan, planned)
    if only_held_out:
        samples = [s for s in samples if is_held_out(s, planned.use.holdout)]
        if not samples:
            raise UserError(
                f"stages.{job.index}: no row of {planned.use.use} is held out to evaluate on; set "
                "dataset.holdout (such as 0.1), or give the evaluation a dataset of its own"
            )
    trained_at = stage.temperature if isinstance(stage, RlStage) else EVALUATION_TEMPERATURE
    return Evaluator(
        job=job,
        settings=settings,
        samples=samples,
        temperature=trained_at if settings.temperature is None else settings.temperature,
        max_new_tokens=stage.max_new_tokens,
    )


def _evaluate(job, stage: EvalStage) -> None:
    from rewardlab.backends.trl.models import load_model, load_tokenizer
    from rewardlab.backends.trl.prompts import PromptFormat
    from rewardlab.backends.trl.settings import device

    path = _model_before(job)
    tokenizer = load_tokenizer(path)
    model = load_model(path).to(device(job.plan.recipe.backend))
    _evaluator(job, stage).alone(model, tokenizer, PromptFormat(tokenizer, stage.chat))


def _model_before(job) -> str:
    """The model that a stage starts from: what the last training stage before it wrote, or the recipe's."""
    for index in range(job.index - 1, -1, -1):
        written = job.run.path / "models" / f"{index}-{job.plan.recipe.stages[index].use}"
        if (written / "config.json").is_file():
            return str(written)
    model = job.plan.recipe.model
    if not isinstance(model, TinyModel):
        return str(Path(model).expanduser()) if model.startswith("~") else model
    return _tiny(job, model)


def _tiny(job, model: TinyModel) -> str:
    from rewardlab.backends.trl.models import build_tiny

    folder = job.run.path / "models" / "tiny"
    if not (folder / "config.json").is_file():
        plan = job.plan
        first_sft = next((i for i, s in enumerate(plan.recipe.stages) if isinstance(s, SftStage)), job.index)
        build_tiny(model, _training_samples(plan, first_sft), plan.recipe.seed, folder)
    return str(folder)
