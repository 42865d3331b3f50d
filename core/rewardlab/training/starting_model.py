"""The model that a stage starts from."""

from pathlib import Path

from rewardlab.errors import JobError, one_line
from rewardlab.files import expanded
from rewardlab.plan import Plan
from rewardlab.recipe.models import EvalStage, SftStage, TinyModel
from rewardlab.training.splits import training_samples


def find_starting_model(plan: Plan, run: Path, index: int) -> str:
    """Return the folder or hub name of the model that stage `index` starts from, in the run in folder `run`.

    It is the `policy.model` of a stage `eval`; else the model that the last training stage before it wrote, or the
    recipe's model; a tiny one is built first.
    """
    stage = plan.recipe.stages[index]
    if isinstance(stage, EvalStage) and stage.policy is not None and stage.policy.model is not None:
        return _named(stage.policy.model)
    if (written := written_before(plan, run, index)) is not None:
        return str(written)
    model = plan.recipe.model
    if isinstance(model, TinyModel):
        return str(_tiny_model_folder(plan, run, index, model))
    assert model is not None  # a stage that needs a model is refused without one
    return _named(model)


def _named(model: str) -> str:
    return str(expanded(model)) if model.startswith("~") else model


def written_before(plan: Plan, run: Path, index: int) -> Path | None:
    """Return the folder of the last model that a stage before stage `index` wrote; None if there is none."""
    for earlier in range(index - 1, -1, -1):
        written = run / "models" / f"{earlier}-{plan.recipe.stages[earlier].use}"
        if written.is_dir():
            return written
    return None


def _tiny_model_folder(plan: Plan, run: Path, index: int, model: TinyModel) -> Path:
    from safetensors import SafetensorError

    from rewardlab.training.tiny_model import build_tiny

    folder = run / "models" / "tiny"
    if not folder.is_dir():
        stages = plan.recipe.stages
        first_sft = next((i for i, s in enumerate(stages) if isinstance(s, SftStage)), index)
        samples = training_samples(plan, first_sft)
        try:
            build_tiny(model, samples, plan.recipe.seed, folder)
        except SafetensorError as error:
            what = f"stage {index}-{stages[index].use}: the model cannot be written; is the disk full?"
            raise JobError(f"{what} ({one_line(error, 200)})") from error
    return folder
