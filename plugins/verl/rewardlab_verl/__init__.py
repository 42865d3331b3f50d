"""The backend `verl`: verl's own trainers on Ray, and the reward manager `rewardlab` for scripts of verl's own.

options                     what a recipe may say under `backend`
backend                     what the rest of the library asks of an engine
check, describe             what is wrong with a recipe for verl, and what `run --dry-run` prints
compile/                    a stage as the exact settings of verl
engine_version              verl as it is installed
environment, requirements/  the environment `verl`, as `rewardlab env create` builds it
job/                        the process of a stage: verl's files and its own trainers
plugin                      what verl imports in each of its processes
reward_manager, agent_loop  one completion on its way: generated, and given its reward
advantages                  rewards that are advantages already, as verl's estimator
script_scorer               the actor that scores for a script of verl's own
"""

from collections.abc import Sequence
from typing import Any

from rewardlab import BackendSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_verl.options import Options


def _environment() -> Any:
    from rewardlab_verl.environment import environment

    return environment(cpu=False)


def _cpu_environment() -> Any:
    from rewardlab_verl.environment import environment

    return environment(cpu=True)


def _lacks(options: Options) -> str | None:
    """Return what this machine lacks to train; None if a Ray cluster does it."""
    import os

    from rewardlab_verl.engine_version import what_is_wrong

    return None if options.address or os.environ.get("RAY_ADDRESS") else what_is_wrong()


@hookimpl
def rewardlab_backends() -> Sequence[BackendSpec]:
    """Return the one backend of this plugin."""
    return [
        BackendSpec(
            name="verl",
            summary="verl on Ray: PPO and GRPO on GPUs, FSDP2 or Megatron, vLLM or SGLang",
            config=Options,
            build="rewardlab_verl.backend:backend",
            environments={"verl": _environment, "verl-cpu": _cpu_environment},
            packages=("torch", "transformers", "verl", "vllm", "sglang", "ray", "tokenizers"),
            lacks=_lacks,
            laws=Laws(off={"same": "which requests a rollout engine puts into one batch depends on time"}),
        )
    ]
