"""The arguments of sft and dpo stages for openrlhf.cli.train_sft and train_dpo, which read texts rendered here."""

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, SftStage

from rewardlab_openrlhf.compile.batches import batches
from rewardlab_openrlhf.compile.command import Value
from rewardlab_openrlhf.compile.engine import dataset_path, engine_arguments
from rewardlab_openrlhf.compile.optimiser import optimiser
from rewardlab_openrlhf.layout import layout_of
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import ROWS, StageFiles


def sft_arguments(plan: Plan, stage: SftStage, files: StageFiles) -> dict[str, Value]:
    """Return every argument of the stage, by its name without dashes."""
    return {
        **_shared_arguments(plan, stage, files),
        "data.input_key": "input",
        "data.output_key": "output",
        "data.input_template": "",  # OpenRLHF's default is a template of its own
    }


def dpo_arguments(plan: Plan, stage: DpoStage, files: StageFiles) -> dict[str, Value]:
    """Return every argument of the stage; its reference is the model that it starts from."""
    return {
        **_shared_arguments(plan, stage, files),
        "ref.model_name_or_path": files.model,
        "ref.offload": options_of(plan).engine.offload_reference,
        "model.beta": stage.beta,
        "data.prompt_key": "prompt",
        "data.chosen_key": "chosen",
        "data.rejected_key": "rejected",
    }


def _shared_arguments(plan: Plan, stage: SftStage | DpoStage, files: StageFiles) -> dict[str, Value]:
    backend = options_of(plan)
    sizes = batches(plan, stage, layout_of(backend, stage), files.longest_prompt)
    return {
        "model.model_name_or_path": files.model,
        "data.dataset": dataset_path(files.training_rows),
        "data.max_samples": ROWS if files.rows is None else files.rows,
        "data.max_len": stage.max_tokens or files.longest_prompt or "MAX_ROW_LENGTH",
        "train.max_epochs": 1,
        "train.batch_size": sizes.update,
        "train.micro_batch_size": sizes.micro,
        **optimiser(stage, "", files.steps),
        "model.gradient_checkpointing_enable": backend.gradient_checkpointing,
        **engine_arguments(plan, stage, files),
    }
