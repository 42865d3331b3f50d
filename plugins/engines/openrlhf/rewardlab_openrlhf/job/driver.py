"""The process in the cluster that runs one training stage: files, actors that score, and OpenRLHF's own loop."""

import shutil
import sys
from collections.abc import Sequence

from rewardlab.errors import JobError
from rewardlab.recipe import RlStage
from rewardlab_ray.job.log_lines import STEPS
from rewardlab_ray.job.stage_driver import drive, hand_on
from rewardlab_ray.stage_prompts import StageTokenizer
from rewardlab_ray.stage_task import StageTask

from rewardlab_openrlhf.compile import compile_stage
from rewardlab_openrlhf.engine_arguments import check_arguments
from rewardlab_openrlhf.job.adapters import merge_adapter
from rewardlab_openrlhf.job.engine import ENGINE
from rewardlab_openrlhf.job.prepare import prepare
from rewardlab_openrlhf.job.reinforcement import reinforce, train_without_rewards
from rewardlab_openrlhf.stage_files import StageFiles


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stage and return the exit code that `rewardlab run` passes on."""
    return drive(ENGINE, run_stage, arguments)


def run_stage(task: StageTask) -> None:
    """Train the stage and move its model to its place. Raises what the user should read."""
    tokenizer = StageTokenizer(task)
    files = prepare(task, tokenizer)
    command = compile_stage(task.plan, task.index, files)
    check_arguments(command.module, command.arguments)
    shutil.rmtree(files.output, ignore_errors=True)
    if isinstance(task.stage, RlStage):
        task.say(f"{STEPS}{files.steps}")
        reinforce(task, files, command)
    else:
        train_without_rewards(task, command)
    _move_model(task, files, tokenizer)


def _move_model(task: StageTask, files: StageFiles, tokenizer: StageTokenizer) -> None:
    if not (files.output / "config.json").is_file():
        raise JobError(f"stage {task.name}: OpenRLHF ended without writing a model to {files.output}")
    merge_adapter(files.output, task.model)
    hand_on(task, files.output, tokenizer)


if __name__ == "__main__":
    sys.exit(main())
