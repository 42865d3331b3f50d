"""The exact settings of verl for a stage of a recipe.

Every number of the stage is a setting here or refused by `check`; the settings' meanings are those of the version
`engine_version.WHEEL`, whose configuration has each of them.

command          the command itself: module, settings, launcher
stage_files      the files and sizes that settings name
rl, sft          the settings of each kind of stage
trainer          what the programs share: optimizer, model, checkpoints, trackers
batches          micro-batches, by rows or by tokens
"""

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage, SftStage
from rewardlab_ray.stage_task import engine_stage

from rewardlab_verl.compile.command import Value, VerlCommand
from rewardlab_verl.compile.rl import evaluation_settings, rl_settings
from rewardlab_verl.compile.sft import sft_settings
from rewardlab_verl.compile.stage_files import VerlFiles
from rewardlab_verl.options import options_of

__all__ = ["VerlCommand", "VerlFiles", "compile_stage", "stage_settings"]

PROGRAMS = {"rl": "verl.trainer.main_ppo", "sft": "verl.trainer.sft_trainer"}


def stage_settings(plan: Plan, index: int, files: VerlFiles) -> dict[str, Value]:
    """Return the settings of training stage `index`, without the recipe's own `arguments`."""
    stage = engine_stage(plan.recipe.stages[index])
    if isinstance(stage, RlStage):
        settings = rl_settings(plan, stage, files)
        return settings | evaluation_settings(plan) if plan.recipe.stages[index].use == "eval" else settings
    assert isinstance(stage, SftStage)
    return sft_settings(plan, stage, files)


def compile_stage(plan: Plan, index: int, files: VerlFiles) -> VerlCommand:
    """Return the command of training stage `index` of a checked plan."""
    backend = options_of(plan)
    stage = engine_stage(plan.recipe.stages[index])
    settings = stage_settings(plan, index, files) | backend.engine.arguments_of(stage.use)
    ranks = backend.gpus_per_node if isinstance(stage, SftStage) else None
    return VerlCommand(module=PROGRAMS[stage.use], settings=settings, ranks=ranks, nodes=backend.nodes)
