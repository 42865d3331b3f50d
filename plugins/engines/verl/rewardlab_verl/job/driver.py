"""The process that runs one training stage: files, the actors that score, and verl's own trainer."""

import os
import shutil
import sys
from collections.abc import Sequence

from rewardlab.recipe import RlStage
from rewardlab_ray.job.log_lines import STEPS
from rewardlab_ray.job.ranks import train_on_ranks
from rewardlab_ray.job.stage_driver import drive
from rewardlab_ray.stage_task import StageTask

from rewardlab_verl.compile import compile_stage
from rewardlab_verl.job.checkpoints import keep_model, newest_step
from rewardlab_verl.job.engine import ENGINE
from rewardlab_verl.job.prepare import prepare, tokenizer_of
from rewardlab_verl.job.step_numbers import VARIABLE, printed_steps, trackers
from rewardlab_verl.options import options_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stage and return the exit code that `rewardlab run` passes on."""
    return drive(ENGINE, run_stage, arguments)


def run_stage(task: StageTask) -> None:
    """Train the stage and move its model to its place. Raises what the user should read."""
    tokenizer = tokenizer_of(task)
    files = prepare(task, tokenizer)
    assert files.steps is not None
    if not files.resume:
        shutil.rmtree(files.checkpoints, ignore_errors=True)
    command = compile_stage(task.plan, task.index, files)
    logs = (task.run / "logs").absolute()
    numbers = logs / f"{task.name}.steps-{task.attempt}.jsonl"
    os.environ[VARIABLE] = str(numbers)
    if options_of(task.plan).tensorboard:
        os.environ["TENSORBOARD_DIR"] = str(logs / "tensorboard" / files.run_name)
    if not task.evaluates:
        task.say(f"{STEPS}{files.steps}")
    with printed_steps(numbers):
        if isinstance(task.stage, RlStage):
            from rewardlab_verl.job.reinforcement import reinforce

            reinforce(task, files, command)
        elif newest_step(files.checkpoints) < files.steps:
            assert command.ranks is not None
            ranks = command.nodes, command.ranks
            train_on_ranks(ENGINE, task, command.module, command.arguments, ranks, trackers())
    if not task.evaluates:
        keep_model(task, files.steps, tokenizer)


if __name__ == "__main__":
    sys.exit(main())
