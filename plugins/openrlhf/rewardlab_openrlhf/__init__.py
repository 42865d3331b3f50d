"""The backend `openrlhf`: OpenRLHF on Ray, with rewards that see whole groups.

options                      what a recipe may say under `backend`
backend                      what the rest of the library asks of an engine
check/                       what is wrong with a recipe, and what to be warned of; no engine is imported
dry_run/                     what `run --dry-run` prints: commands, GPUs, files
layout/                      which process of a stage gets which GPUs
memory/                      what a stage takes of a GPU, and its batch sizes
compile/                     a stage as the exact arguments of OpenRLHF
engine_arguments             OpenRLHF as it is installed: its version, its argument parsers
stage_files                  the files of a stage that OpenRLHF's arguments name
environment, requirements/   the environment `openrlhf`, as `rewardlab env create` builds it
job/                         the process of a stage: OpenRLHF's files and its own loop
rollout/                     what runs inside of OpenRLHF's rollout engines
"""

from collections.abc import Sequence
from typing import Any

from rewardlab import BackendSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_openrlhf.options import Options


def _environment() -> Any:
    from rewardlab_openrlhf.environment import environment

    return environment(cpu=False)


def _cpu_environment() -> Any:
    from rewardlab_openrlhf.environment import environment

    return environment(cpu=True)


def _lacks(options: Options) -> str | None:
    """Return what this machine lacks to train; None if a Ray cluster does it."""
    import os

    from rewardlab_openrlhf.engine_arguments import what_is_wrong

    return None if options.address or os.environ.get("RAY_ADDRESS") else what_is_wrong()


@hookimpl
def rewardlab_backends() -> Sequence[BackendSpec]:
    """Return the one backend of this plugin."""
    from rewardlab_ray.scoring.policy_judge_spec import POLICY_JUDGE

    return [
        BackendSpec(
            name="openrlhf",
            summary="OpenRLHF on Ray: PPO and GRPO on GPUs, one node or many",
            config=Options,
            build="rewardlab_openrlhf.backend:backend",
            judges={"policy/self": POLICY_JUDGE},
            chooses_checkpoints=True,
            environments={"openrlhf": _environment, "openrlhf-cpu": _cpu_environment},
            packages=("torch", "transformers", "openrlhf", "vllm", "deepspeed", "ray", "tokenizers"),
            lacks=_lacks,
            laws=Laws(off={"same": "which requests vLLM puts into one batch depends on time"}),
        )
    ]
