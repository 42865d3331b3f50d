"""A stage of a recipe -> the exact command of OpenRLHF.

Every number of the stage is an argument here or refused by `check`; the arguments' meanings are those of the wheel
that `wheel.WHEEL` names.
"""

from rewardlab.backends.openrlhf.compile.command import Command, rendered
from rewardlab.backends.openrlhf.compile.further import further_arguments
from rewardlab.backends.openrlhf.compile.rl import rl_arguments
from rewardlab.backends.openrlhf.compile.texts import dpo_arguments, sft_arguments
from rewardlab.backends.openrlhf.job.files import StageFiles, training_stage
from rewardlab.backends.openrlhf.layout import layout_of
from rewardlab.plan import Plan
from rewardlab.recipe import RlStage, SftStage

__all__ = ["PROGRAMS", "Command", "compile_stage"]

PROGRAMS = {
    "rl": "openrlhf.cli.train_ppo_ray",
    "sft": "openrlhf.cli.train_sft",
    "dpo": "openrlhf.cli.train_dpo",
}
"""kind of a stage -> the module that trains it"""


def compile_stage(plan: Plan, index: int, files: StageFiles) -> Command:
    """The command of training stage `index` of a checked plan.

    Raises UserError where only the prompts or the run's folder show that it cannot be.
    """
    stage = training_stage(plan, index)
    backend = plan.recipe.backend
    if isinstance(stage, RlStage):
        arguments = rl_arguments(plan, stage, files)
    elif isinstance(stage, SftStage):
        arguments = sft_arguments(plan, stage, files)
    else:
        arguments = dpo_arguments(plan, stage, files)
    tokens = rendered(arguments | further_arguments(stage, backend.engine.arguments))
    if isinstance(stage, RlStage):
        return Command(module=PROGRAMS[stage.use], arguments=tokens)
    layout = layout_of(backend, stage)
    return Command(module=PROGRAMS[stage.use], arguments=tokens, ranks=layout.ranks, nodes=layout.nodes)
