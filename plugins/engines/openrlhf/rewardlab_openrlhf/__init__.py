"""The backend `openrlhf`: OpenRLHF on Ray, with rewards that see whole groups.

options                      what a recipe may say under `backend`
backend                      what the rest of the library asks of an engine
check/                       what is wrong with a recipe, and what to be warned of; no engine is imported
dry_run/                     what `run --dry-run` prints: commands, GPUs, files
layout/                      which process of a stage gets which GPUs
memory                       what a stage takes of a GPU, by arithmetic
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


def _environment(cpu: bool) -> Any:
    from rewardlab_openrlhf.environment import environment

    return environment(cpu)


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
            environments={"openrlhf": lambda: _environment(False), "openrlhf-cpu": lambda: _environment(True)},
            packages=("torch", "transformers", "openrlhf", "vllm", "deepspeed", "ray", "tokenizers"),
            lacks="rewardlab_openrlhf.job.engine:lacks",
            laws=Laws(off={"same": "which requests vLLM puts into one batch depends on time"}),
        )
    ]
