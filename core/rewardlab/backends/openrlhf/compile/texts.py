"""sft and dpo stages as arguments of openrlhf.cli.train_sft and train_dpo: rows of texts, rendered by us."""

from rewardlab.backends.openrlhf.compile.batches import batches
from rewardlab.backends.openrlhf.compile.command import Value
from rewardlab.backends.openrlhf.compile.engine import dataset_path, engine_arguments
from rewardlab.backends.openrlhf.compile.optimiser import optimiser
from rewardlab.backends.openrlhf.job.files import StageFiles
from rewardlab.backends.openrlhf.layout import layout_of
from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, SftStage


def sft_arguments(plan: Plan, stage: SftStage, files: StageFiles) -> dict[str, Value]:
    """Every argument of the stage, by its name without dashes."""
    return {
        **_texts(plan, stage, files),
        "data.input_key": "input",
        "data.output_key": "output",
        "data.input_template": "",  # its default is one of its own
    }


def dpo_arguments(plan: Plan, stage: DpoStage, files: StageFiles) -> dict[str, Value]:
    """Every argument of the stage; its reference is the model that it starts from."""
    return {
        **_texts(plan, stage, files),
        "ref.model_name_or_path": files.model,
        "ref.offload": plan.recipe.backend.engine.offload_reference,
        "model.beta": stage.beta,
        "data.prompt_key": "prompt",
        "data.chosen_key": "chosen",
        "data.rejected_key": "rejected",
    }


def _texts(plan: Plan, stage: SftStage | DpoStage, files: StageFiles) -> dict[str, Value]:
    backend = plan.recipe.backend
    sizes = batches(stage, backend.engine, layout_of(backend, stage))
    return {
        "model.model_name_or_path": files.model,
        "data.dataset": dataset_path(files.training_rows),
        "data.max_samples": files.rows,
        "data.max_len": stage.max_tokens or files.longest_prompt or "LONGEST_ROW",
        "train.max_epochs": 1,
        "train.batch_size": sizes.update,
        "train.micro_batch_size": sizes.micro,
        **optimiser(stage, "", files.steps),
        "model.gradient_checkpointing_enable": backend.gradient_checkpointing,
        **engine_arguments(plan, stage, files),
    }
