"""The files of a stage in a dry run, whose run does not exist yet, as far as they can be known."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rewardlab import Sample
from rewardlab.errors import RewardlabError
from rewardlab.plan import Component, Plan
from rewardlab.recipe import DataStage, EvalStage, RlStage, TinyModel
from rewardlab.training import evaluation_samples, run_name, steps_of, training_samples

from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import StageFiles, TrainingStage, training_stage

TIME = "TIME"
"""stands for when the run will start"""


def dry_run_files(plan: Plan, index: int) -> StageFiles:
    """Return the files of stage `index`, without `steps` and `rows` if nobody can count the rows yet."""
    stage = training_stage(plan, index)
    trained = [plan.stage_dataset(index)]
    found = 0 if stage.steps else _count_rows(trained, lambda: training_samples(plan, index))
    steps = None if found is None else steps_of(stage, found)
    name = f"{index}-{stage.use}"
    run = Path(options_of(plan).engine.storage or "runs") / f"{run_name(plan)}-{TIME}"
    folder = run / "engine" / name
    return StageFiles(
        model=_model(plan, index, run),
        folder=folder,
        output=folder / "model",
        checkpoints=run / "checkpoints" / name,
        tensorboard=run / "logs" / "tensorboard" if options_of(plan).tensorboard else None,
        run_name=f"{run_name(plan)}-{name}",
        steps=steps,
        rows=None if steps is None else steps * stage.batch_size,
        longest_prompt=stage.max_prompt_tokens if isinstance(stage, RlStage) else None,
        evaluation_rows=_evaluation_rows(plan, index, stage),
    )


def _model(plan: Plan, index: int, run: Path) -> str:
    """Return the model that stage `index` will start from."""
    for earlier in range(index - 1, -1, -1):
        stage = plan.recipe.stages[earlier]
        if not isinstance(stage, DataStage | EvalStage):
            return str(run / "models" / f"{earlier}-{stage.use}")
    model = plan.recipe.model
    return str(run / "models" / "tiny") if isinstance(model, TinyModel) else str(model)


def _evaluation_rows(plan: Plan, index: int, stage: TrainingStage) -> int:
    """Return how many prompts to evaluate on; 1 if there are some, and nobody knows how many."""
    if not isinstance(stage, RlStage) or stage.evaluation is None:
        return 0
    evaluated = [planned for planned, _ in plan.evaluation_datasets(index).values()]
    found = _count_rows(evaluated, lambda: evaluation_samples(plan, index)) or 1
    return min(found, stage.evaluation.prompts or found)


def _count_rows(datasets: Sequence[Component], read: Callable[[], Sequence[Sample]]) -> int | None:
    """Return how many rows `read` gives if all can be read at no cost; None else, and for a file not written yet."""
    if any(planned.spec.remote or planned.spec.step for planned in datasets):
        return None
    try:
        return len(read())
    except (RewardlabError, OSError):
        return None
