"""The exact command of OpenRLHF for a stage of a recipe.

Every number of the stage is an argument here or refused by `check`; the arguments' meanings are those of the version
`engine_arguments.WHEEL`.

command                the command itself: module, arguments, launcher
rl, sft_dpo            the arguments of each kind of stage
engine, optimiser      arguments that the programs share
batches                the split of a step over the ranks, and into micro-batches
clipping               the bounds of the reward clip
placement              GPUs and rollout engines of an rl stage
extra_arguments        what a recipe may add
"""

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage, SftStage

from rewardlab_openrlhf.compile.command import Command, render_arguments
from rewardlab_openrlhf.compile.extra_arguments import extra_arguments_of
from rewardlab_openrlhf.compile.rl import evaluation_temperature, rl_arguments
from rewardlab_openrlhf.compile.sft_dpo import dpo_arguments, sft_arguments
from rewardlab_openrlhf.layout import layout_of
from rewardlab_openrlhf.options import options_of
from rewardlab_openrlhf.stage_files import StageFiles, training_stage

__all__ = ["PROGRAMS", "Command", "compile_stage", "evaluation_temperature"]

PROGRAMS = {
    "rl": "openrlhf.cli.train_ppo_ray",
    "sft": "openrlhf.cli.train_sft",
    "dpo": "openrlhf.cli.train_dpo",
}
"""kind of a stage -> the module that trains it"""


def compile_stage(plan: Plan, index: int, files: StageFiles) -> Command:
    """Return the command of training stage `index` of a checked plan.

    Raises UserError if only the prompts or the run's folder show that there cannot be one.
    """
    stage = training_stage(plan, index)
    backend = options_of(plan)
    if isinstance(stage, RlStage):
        arguments = rl_arguments(plan, stage, files)
    elif isinstance(stage, SftStage):
        arguments = sft_arguments(plan, stage, files)
    else:
        arguments = dpo_arguments(plan, stage, files)
    tokens = render_arguments(arguments | extra_arguments_of(stage, backend.engine.arguments))
    if isinstance(stage, RlStage):
        return Command(module=PROGRAMS[stage.use], arguments=tokens)
    layout = layout_of(backend, stage)
    return Command(module=PROGRAMS[stage.use], arguments=tokens, ranks=layout.ranks, nodes=layout.nodes)
