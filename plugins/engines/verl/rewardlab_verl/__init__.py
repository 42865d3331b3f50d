"""The backend `verl`: verl's own trainers on Ray, and the reward manager `rewardlab` for scripts of verl's own.

options                     what a recipe may say under `backend`
check, describe             what is wrong with a recipe for verl, and what `run --dry-run` prints
compile/                    a stage as the exact settings of verl
environment, requirements/  the environment `verl`, as `rewardlab env create` builds it
job/                        verl among the engines on Ray, and the process of a stage
plugin                      what verl imports in each of its processes
reward_manager, agent_loop  one completion on its way: generated, and given its reward
advantages                  rewards that are advantages already, as verl's estimator
script_groups, validation   rewards for a script of verl's own
"""

from collections.abc import Sequence
from typing import Any

from rewardlab import BackendSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_verl.options import Options


def _environment(cpu: bool) -> Any:
    from rewardlab_verl.environment import environment

    return environment(cpu)


@hookimpl
def rewardlab_backends() -> Sequence[BackendSpec]:
    """Return the one backend of this plugin."""
    return [
        BackendSpec(
            name="verl",
            summary="verl on Ray: PPO and GRPO on GPUs, FSDP2 or Megatron, vLLM or SGLang",
            config=Options,
            build="rewardlab_verl.job.engine:backend",
            environments={"verl": lambda: _environment(False), "verl-cpu": lambda: _environment(True)},
            packages=("torch", "transformers", "verl", "vllm", "sglang", "ray", "tokenizers"),
            lacks="rewardlab_verl.job.engine:lacks",
            laws=Laws(off={"same": "which requests a rollout engine puts into one batch depends on time"}),
        )
    ]
