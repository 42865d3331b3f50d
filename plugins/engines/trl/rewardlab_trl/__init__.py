"""The backend `trl`: TRL's trainers on one machine or several, on CPUs or GPUs.

options                              what a recipe may say under `backend`
backend                              what the rest of the library asks of an engine
check, describe                      what is wrong with a recipe, what will be done; neither imports the engine
ready                                what this machine must have, looked at before a run begins
policy                               the policy of a stage, which trains, samples and is saved
sft, dpo, rl                         the trainers of the three kinds of stage
processes, other_process             training in several processes: the first, and the others
children, machines, join             starting and watching them on a machine, and the command of further machines
accelerate_options, sharding         a model that they share by FSDP or DeepSpeed: accelerate's own names, and the whole
adapters                             LoRA: adding adapters to the policy, and merging them into it
quantization                         QLoRA: the weights under adapters in 4 bits
trainer_arguments, train             what every trainer is given, and training to the end
checkpoints                          what a stage resumes from
memory                               what a stage's models take of a GPU, for a dry run
engine_errors                        full disks and memory as errors that say what to do
models, position_ids, dropout        the model: loading and saving it, and two settings of its layers
sampling                             sampling completions from the model
agent_check, agent_tools, turns      a stage with an agent: its checks, calls of tools, and conversations as tokens
trainer_reward, ranks                the reward of a recipe for trainers of people's own scripts, and their processes
worker_reward                        the same in the worker of AsyncGRPOTrainer, which asks about one group at a time
policy_judge_spec, policy_judge      the judge `policy/self`: as a plan names it, and answering
"""

import json
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from rewardlab import BackendSpec, hookimpl

from rewardlab_trl.options import Options

if TYPE_CHECKING:
    from rewardlab_trl.trainer_reward import Beside, TrainerReward

__all__ = ["reward_function"]


@hookimpl
def rewardlab_backends() -> Sequence[BackendSpec]:
    """Return the one backend of this plugin."""
    from rewardlab_trl.policy_judge_spec import POLICY_JUDGE

    return [
        BackendSpec(
            name="trl",
            summary="TRL's trainers on one machine or several, on CPUs or GPUs",
            config=Options,
            build="rewardlab_trl.backend:backend",
            judges={"policy/self": POLICY_JUDGE},
            packages=("torch", "transformers", "trl", "datasets", "tokenizers", "peft"),
            lacks="rewardlab_trl.ready:lacks",
            trains_longer=True,
            chooses_checkpoints=True,
            default=True,
        )
    ]


def reward_function(
    recipe: str | PathLike[str] | Mapping[str, Any],
    *overrides: str,
    group_size: int | None = None,
    ends: Collection[int] | int | None = (),
    opened: str = "",
    name: str = "rewardlab",
    device: str = "auto",
    beside: "Mapping[Beside, float] | None" = None,
    fields: Mapping[str, str] | None = None,
) -> "TrainerReward":
    r"""Return a recipe's reward as a reward function for TRL's GRPO, RLOO or AsyncGRPO trainer in your own script.

        with reward_function("recipe.yaml") as reward:
            GRPOTrainer(model=..., reward_funcs=reward, args=..., train_dataset=...).train()

    The dataset's columns are the fields of the recipe's rewards; the recipe's stages are not read. A completion that
    cannot be scored is never a 0: the trainer leaves it out of its group. In a job of several processes (accelerate,
    torchrun) each calls this, and groups are put together from all of them.
    AsyncGRPOTrainer takes it to a process of its own, where the reward is loaded again, on the CPU. It must be the
    only reward function there, since the trainer does not tell of others: yours stand in `beside`, and what it logs is
    the reward alone.

    Args:
        recipe: a YAML file, the name of one that comes with rewardlab, a dict, or the folder of a run.
        group_size: the trainer's num_generations; needed only if a row of the dataset can follow itself.
        ends: the ids of the tokens that end a completion, so that others count as truncated.
        opened: what the chat template begins an answer with, such as "<think>\n".
        name: in the trainer's logs, and before the names of the reward's own metrics; two functions need two.
        device: of models if the recipe names none.
        beside: your own reward functions with their weights, which are added to this one's value, so that a completion
            that lacks one of them is left out.
        fields: what columns of the dataset are called, our field -> the column ({"answer": "solution"}), beside the
            recipe's `dataset: fields:`.

    Raises a UserError that lists every mistake of the recipe.
    """
    from rewardlab_trl.worker_reward import LoadedReward

    named = [f"dataset.fields.{field}={json.dumps(column)}" for field, column in (fields or {}).items()]
    like = {"group_size": group_size, "ends": ends, "opened": opened, "name": name, "beside": beside}
    return LoadedReward.load(recipe, [*overrides, *named], device, like)
