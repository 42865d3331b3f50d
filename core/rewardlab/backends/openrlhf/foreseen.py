"""The files of a stage of a run that does not exist yet, as far as they can be known."""

from pathlib import Path

from rewardlab.backends.openrlhf.job.files import StageFiles, TrainingStage, training_stage
from rewardlab.backends.splits import held_out_samples, read_samples, training_samples
from rewardlab.backends.stage import steps_of
from rewardlab.errors import RewardlabError
from rewardlab.ledger import run_name
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.recipe import DataStage, EvalStage, RlStage, TinyModel

TIME = "TIME"
"""stands for when the run will start"""


def foreseen_files(plan: Plan, index: int) -> StageFiles | None:
    """Of stage `index`; None where the number of steps follows from rows that cannot be read yet."""
    stage = training_stage(plan, index)
    rows = None if stage.steps else _count(plan, plan.stage_dataset(index), index, held_out=False)
    if not stage.steps and rows is None:
        return None
    steps = steps_of(stage, rows or 0)
    name = f"{index}-{stage.use}"
    run = Path(plan.recipe.backend.engine.storage or "runs") / f"{run_name(plan)}-{TIME}"
    folder = run / "engine" / name
    return StageFiles(
        model=_model(plan, index, run),
        folder=folder,
        output=folder / "model",
        checkpoints=run / "checkpoints" / name,
        tensorboard=run / "logs" / "tensorboard" if plan.recipe.backend.tensorboard else None,
        run_name=f"{run_name(plan)}-{name}",
        steps=steps,
        rows=steps * stage.batch_size,
        longest_prompt=stage.max_prompt_tokens if isinstance(stage, RlStage) else None,
        evaluation_rows=_evaluated(plan, index, stage),
    )


def _model(plan: Plan, index: int, run: Path) -> str:
    """What stage `index` will start from."""
    for earlier in range(index - 1, -1, -1):
        stage = plan.recipe.stages[earlier]
        if not isinstance(stage, DataStage | EvalStage):
            return str(run / "models" / f"{earlier}-{stage.use}")
    model = plan.recipe.model
    return str(run / "models" / "tiny") if isinstance(model, TinyModel) else str(model)


def _evaluated(plan: Plan, index: int, stage: TrainingStage) -> int:
    """Prompts to evaluate on; 1 where there are some, and how many cannot be known."""
    if not isinstance(stage, RlStage) or stage.evaluation is None:
        return 0
    planned, held_out = plan.evaluation_dataset(index)
    found = _count(plan, planned, index, held_out) or 1
    return min(found, stage.evaluation.prompts or found)


def _count(plan: Plan, planned: Planned, index: int, held_out: bool) -> int | None:
    """Rows of a dataset that reading costs nothing to count; None of others, and of a file not written yet."""
    if planned.spec.remote or planned.spec.step:
        return None
    try:
        if held_out:
            return len(held_out_samples(plan, index))
        if planned is plan.stage_dataset(index):
            return len(training_samples(plan, index))
        return len(read_samples(plan, planned))
    except (RewardlabError, OSError):
        return None
