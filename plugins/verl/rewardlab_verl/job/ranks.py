"""An sft stage: torchrun with a process for every GPU of this machine."""

import subprocess
import sys

from rewardlab.errors import JobError
from rewardlab_ray.stage_task import StageTask

from rewardlab_verl.compile import VerlCommand


def train_on_ranks(task: StageTask, command: VerlCommand) -> None:
    """Run the command with its ranks. JobError if a process of it fails."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={command.ranks}"]
    code = subprocess.run([*launcher, "-m", command.module, *command.arguments]).returncode
    if code:
        raise JobError(f"stage {task.name}: a process of {command.module} ended with exit code {code}")
