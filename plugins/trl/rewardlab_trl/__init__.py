"""The backend `trl`: TRL's trainers in one process on one machine, CPU or GPU.

options                              what a recipe may say under `backend`
backend                              what the rest of the library asks of an engine
check, describe                      what is wrong with a recipe, what will be done; neither imports the engine
ready                                what this machine must have, looked at before a run begins
run                                  the stages of a run, one after the other
sft, rl                              the trainers of the two kinds of stage
trainer_arguments, train             what every trainer is given, and training to the end
checkpoints, interrupts, progress    resuming, stopping, and what is shown and logged meanwhile
engine_errors                        full disks and memory as errors that say what to do
models, position_ids, dropout        the policy: loading and saving it, and two settings of its layers
reward_function, advantages          the reward that TRL calls, and the advantages that it returns
evaluation, sampling                 sampling from the policy and scoring its completions
"""

from collections.abc import Sequence
from typing import Any

from rewardlab import BackendSpec, hookimpl

from rewardlab_trl.options import Options


def _build(options: Options) -> Any:
    from rewardlab_trl.backend import TrlBackend

    return TrlBackend()


def _lacks(options: Options) -> str | None:
    from rewardlab_trl.ready import lacks

    return lacks(options)


@hookimpl
def rewardlab_backends() -> Sequence[BackendSpec]:
    """Return the one backend of this plugin."""
    return [
        BackendSpec(
            name="trl",
            summary="TRL's trainers in one process on one machine, CPU or GPU",
            config=Options,
            build=_build,
            packages=("torch", "transformers", "trl", "datasets", "tokenizers"),
            lacks=_lacks,
            trains_longer=True,
            default=True,
        )
    ]
