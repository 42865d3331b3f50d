"""The process that runs one training stage: files, the actors that score, and verl's own trainer.

    python -m rewardlab_verl.job.driver RUN STAGE [--attempt K] [--home FOLDER] [--attended]

Its lines for the user begin with MARK, and its last one is the outcome as JSON; everything else is verl's log.
"""

import json
import os
import shutil
import sys
import traceback
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from rewardlab import redact
from rewardlab.concurrency import sigterm_as_interrupt
from rewardlab.errors import JobError, RewardlabError, UserError, one_line
from rewardlab.recipe import RlStage
from rewardlab_ray.driver_process import end_with_parent, hear_interrupts
from rewardlab_ray.stage_prompts import StageTokenizer
from rewardlab_ray.stage_task import StageTask
from rewardlab_ray.user_lines import marked, say

from rewardlab_verl.compile import compile_stage
from rewardlab_verl.engine_version import what_is_wrong
from rewardlab_verl.job.checkpoints import keep_model, newest_step
from rewardlab_verl.job.prepare import prepare
from rewardlab_verl.job.ranks import train_on_ranks

OUTCOME = "outcome "


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stage and return the exit code that `rewardlab run` passes on."""
    parser = ArgumentParser(prog="driver")
    parser.add_argument("run", type=Path)
    parser.add_argument("stage", type=int)
    parser.add_argument("--attempt", type=int, default=0)
    parser.add_argument("--home", type=Path, default=Path.cwd())
    parser.add_argument("--attended", action="store_true", help="end where standard input ends")
    options = parser.parse_args(arguments)
    if options.attended:
        hear_interrupts()
        end_with_parent()
    os.chdir(options.home)
    task = StageTask(run=options.run, index=options.stage, attempt=options.attempt, home=options.home, say=say)
    try:
        with sigterm_as_interrupt():
            run_stage(task)
    except UserError as error:
        return _end(str(error), UserError.exit_code)
    except RewardlabError as error:
        return _end(str(error), JobError.exit_code)
    except KeyboardInterrupt:
        return _end("stopped", JobError.exit_code)
    except BaseException as error:  # from verl: its log above has all of it
        traceback.print_exc()
        return _end(f"stage {task.name}: {one_line(getattr(error, 'cause', None) or error)}", JobError.exit_code)
    return _end(None, 0)


def run_stage(task: StageTask) -> None:
    """Train the stage and move its model to its place. Raises what the user should read."""
    if task.attempt > 0 and task.output.is_dir():  # it was killed before it could be noted as done
        task.say(f"stage {task.name} has its model already: {task.output}")
        return
    if wrong := what_is_wrong():
        raise UserError(wrong, where=task.where)
    task.say(f"stage {task.name} starts from {task.model}")
    tokenizer = StageTokenizer(task)
    files = prepare(task, tokenizer)
    assert files.steps is not None
    if not files.resume:
        shutil.rmtree(files.checkpoints, ignore_errors=True)
    command = compile_stage(task.plan, task.index, files)
    if isinstance(task.stage, RlStage):
        from rewardlab_verl.job.reinforcement import reinforce

        reinforce(task, files, command)
    elif newest_step(files.checkpoints) < files.steps:
        train_on_ranks(task, command)
    keep_model(task, files.steps, tokenizer)


def _end(error: str | None, code: int) -> int:
    """Print the outcome and return the exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    outcome = {"error": None if error is None else redact(error), "code": code}
    print(marked(OUTCOME + json.dumps(outcome)), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
