"""The model that a stage starts from."""

from pathlib import Path

from rewardlab.backends.splits import training_samples
from rewardlab.backends.stage import StageJob
from rewardlab.recipe import SftStage, TinyModel


def starting_model(job: StageJob) -> str:
    """The model that a stage starts from: what the last training stage before it wrote, or the recipe's."""
    for index in range(job.index - 1, -1, -1):
        written = job.run.path / "models" / f"{index}-{job.plan.recipe.stages[index].use}"
        if written.is_dir():
            return str(written)
    model = job.plan.recipe.model
    if not isinstance(model, TinyModel):
        return str(Path(model).expanduser()) if model.startswith("~") else model
    return _tiny(job, model)


def _tiny(job: StageJob, model: TinyModel) -> str:
    from rewardlab.backends.tiny import build_tiny

    folder = job.run.path / "models" / "tiny"
    if not folder.is_dir():
        stages = job.plan.recipe.stages
        first_sft = next((i for i, s in enumerate(stages) if isinstance(s, SftStage)), job.index)
        build_tiny(model, training_samples(job.plan, first_sft), job.plan.recipe.seed, folder)
    return str(folder)
