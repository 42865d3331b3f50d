"""The model that a stage starts from."""

from pathlib import Path

from rewardlab.backends.splits import training_samples
from rewardlab.plan import Plan
from rewardlab.recipe import SftStage, TinyModel


def starting_model(plan: Plan, run: Path, index: int) -> str:
    """The folder or hub name that stage `index` starts from, of the run in folder `run`.

    What the last training stage before it wrote, or the recipe's model, which is built where it is a tiny one.
    """
    if (written := written_before(plan, run, index)) is not None:
        return str(written)
    model = plan.recipe.model
    if isinstance(model, TinyModel):
        return str(_tiny(plan, run, index, model))
    assert model is not None  # a stage that needs a model is refused without one
    return str(Path(model).expanduser()) if model.startswith("~") else model


def written_before(plan: Plan, run: Path, index: int) -> Path | None:
    """The model of the last training stage before stage `index` that has written one."""
    for earlier in range(index - 1, -1, -1):
        written = run / "models" / f"{earlier}-{plan.recipe.stages[earlier].use}"
        if written.is_dir():
            return written
    return None


def _tiny(plan: Plan, run: Path, index: int, model: TinyModel) -> Path:
    from rewardlab.backends.tiny import build_tiny

    folder = run / "models" / "tiny"
    if not folder.is_dir():
        stages = plan.recipe.stages
        first_sft = next((i for i, s in enumerate(stages) if isinstance(s, SftStage)), index)
        build_tiny(model, training_samples(plan, first_sft), plan.recipe.seed, folder)
    return folder
