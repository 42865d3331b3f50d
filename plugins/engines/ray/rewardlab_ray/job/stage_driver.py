"""The process that runs one training stage: what is the same of it whatever the engine.

    python -m ENGINE'S_DRIVER RUN STAGE [--attempt K] [--home FOLDER] ...

Its lines for the user begin with MARK, and its last one is the outcome as JSON; everything else is the engine's log.
"""

import json
import os
import shutil
import sys
import traceback
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path

from rewardlab import redact
from rewardlab.concurrency import sigterm_as_interrupt
from rewardlab.errors import JobError, RewardlabError, UserError, one_line
from rewardlab_training import keep_asked

from rewardlab_ray.job.check_machine import check_version
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.job.local_job import end_with_parent, hear_interrupts
from rewardlab_ray.job.log_lines import OUTCOME
from rewardlab_ray.job.lost_process import LostProcess, RayStartTimeout, StartFailure, is_loss, text_of_engine
from rewardlab_ray.job.outer_job import end_with_job
from rewardlab_ray.job.ranks import RankFailure
from rewardlab_ray.stage_prompts import StageTokenizer
from rewardlab_ray.stage_task import StageTask
from rewardlab_ray.user_lines import marked, say

KINDS = {"in_log": RankFailure, "lost": LostProcess, "at_start": StartFailure, "ray_late": RayStartTimeout}
"""key of the outcome -> the errors of which it is true"""


def drive(engine: RayEngine, train: Callable[[StageTask], None], arguments: Sequence[str] | None = None) -> int:
    """Run the stage that the arguments name and return the exit code that `rewardlab run` passes on.

    Args:
        train: trains the stage and moves its model to its place (hand_on); it raises what the user should read.
    """
    parser = ArgumentParser(prog="driver")
    parser.add_argument("run", type=Path)
    parser.add_argument("stage", type=int)
    parser.add_argument("--attempt", type=int, default=0)
    parser.add_argument("--home", type=Path, default=Path.cwd())
    parser.add_argument("--sent", type=Path, help="the run directory as it was sent with the job")
    parser.add_argument("--attended", action="store_true", help="end where standard input ends")
    parser.add_argument("--store", action="store_true", help="RUN is made from what was sent")
    parser.add_argument("--outer-job", help="the cluster's job that submitted this one; end where it ends")
    parser.add_argument("--restart", action="store_true", help="an earlier attempt was lost: wait for its GPUs")
    options = parser.parse_args(arguments)
    if options.outer_job is not None:
        end_with_job(options.outer_job)
    if options.attended:
        hear_interrupts()
        end_with_parent()
    sent = options.sent and options.sent.absolute()
    if options.home.is_dir():
        os.chdir(options.home)
    task = StageTask(
        run=options.run,
        index=options.stage,
        attempt=options.attempt,
        home=options.home,
        say=say,
        restarted=options.restart,
    )
    try:
        if sent is not None:
            _receive(sent, task.run, options.store)
        with sigterm_as_interrupt():  # Ray's job server stops a job with it
            _train(engine, task, train)
    except UserError as error:
        return _end(str(error), UserError.exit_code)
    except RewardlabError as error:
        return _end(str(error), JobError.exit_code, **{name: isinstance(error, kind) for name, kind in KINDS.items()})
    except KeyboardInterrupt:
        return _end("stopped", JobError.exit_code)
    except BaseException as error:  # from the engine: its log above has all of it
        traceback.print_exc()
        message = f"stage {task.name}: {text_of_engine(error)}"
        return _end(message, JobError.exit_code, lost=is_loss(error))
    return _end(None, 0)


def hand_on(task: StageTask, model: Path, tokenizer: StageTokenizer) -> None:
    """Move the stage's model, in the folder `model`, to its place, with its tokenizer and how its rows were asked."""
    tokenizer.tokenizer.save_pretrained(model)  # with the recipe's chat template, if it gives one
    keep_asked(model, task.samples())
    task.output.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(task.output, ignore_errors=True)
    model.rename(task.output)


def _train(engine: RayEngine, task: StageTask, train: Callable[[StageTask], None]) -> None:
    if task.attempt > 0 and task.output.is_dir():  # it was killed before it could be noted as done
        task.say(f"stage {task.name} has its model already: {task.output}")
        return
    check_version(engine, task.where)
    task.say(f"stage {task.name} starts from {task.model}")
    train(task)


def _receive(sent: Path, run: Path, store: bool) -> None:
    """Put the files that were sent with the job where every node sees them."""
    if store:
        try:
            shutil.copytree(sent, run, dirs_exist_ok=True)
        except OSError as error:
            raise UserError(f"backend.engine.storage: {run} cannot be written: {one_line(error)}") from error
    elif not (run / "manifest.json").is_file():
        raise UserError(
            f"the cluster does not see the run directory {run}; set backend.engine.storage to a folder that all "
            "nodes see, or start from one that they see"
        )


def _end(error: str | None, code: int, **kinds: bool) -> int:
    """Print the outcome and return the exit code. kinds: which of KINDS the error is (absent: none)."""
    sys.stdout.flush()
    sys.stderr.flush()
    message = None if error is None else redact(error)
    outcome = {"error": message, "code": code, **dict.fromkeys(KINDS, False), **kinds}
    print(marked(OUTCOME + json.dumps(outcome)), flush=True)
    return code
