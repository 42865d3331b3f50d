"""The files of a stage in a dry run, whose run does not exist yet, as far as they can be known."""

from pathlib import Path

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage
from rewardlab_ray.job.planned_stage import TIME, planned_evaluation_rows, planned_model, planned_steps
from rewardlab_training import run_name

from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import StageFiles, training_stage


def dry_run_files(plan: Plan, index: int) -> StageFiles:
    """Return the files of stage `index`, without `steps` and `rows` if nobody can count the rows yet."""
    stage = training_stage(plan, index)
    steps = planned_steps(plan, index, stage)
    name = f"{index}-{stage.use}"
    run = Path(options_of(plan).engine.storage or "runs") / f"{run_name(plan)}-{TIME}"
    folder = run / "engine" / name
    return StageFiles(
        model=planned_model(plan, index, run),
        folder=folder,
        output=folder / "model",
        checkpoints=run / "checkpoints" / name,
        tensorboard=run / "logs" / "tensorboard" if options_of(plan).tensorboard else None,
        run_name=f"{run_name(plan)}-{name}",
        steps=steps,
        rows=None if steps is None else steps * stage.batch_size,
        longest_prompt=stage.max_prompt_tokens if isinstance(stage, RlStage) else None,
        evaluation_rows=planned_evaluation_rows(plan, index, stage),
    )
