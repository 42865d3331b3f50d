"""Automatic restarts of a stage whose job died of a lost engine, rank or node: `backend.max_restarts`."""

from collections.abc import Callable
from textwrap import shorten
from threading import Event

from rewardlab.errors import JobError, UserError

from rewardlab_ray.job.lost_process import LostProcess, RayStartTimeout, StartFailure

PAUSE_S = 5.0
"""before a job is started again: what is left of it lets its GPUs go"""
MAX_REASON = 1000
"""characters of a reason that stands before a restart"""
HINT = "`backend.max_restarts: 3` starts such a job again by itself, from its last checkpoint (`save_every`)"


def with_restarts(
    attempt: Callable[[bool], None],
    checkpoint: Callable[[], int],
    most: int,
    stop: Event,
    say: Callable[[str], None],
) -> None:
    """Run the stage; start it again if its job died of a loss, `most` times in a row without a new checkpoint.

    Everything else that ends a job is raised as it is. A restart that fails before it trains, as when a node or a judge
    is still away, counts like one that is lost. A Ray that is not up in time is started once more, and counts only if
    that fails, too.

    Args:
        attempt: runs the stage once; called with whether it is a restart.
        checkpoint: returns the step of the newest checkpoint, as far as is known here.
        stop: ends a pause.
    """
    failed, before = 0, checkpoint()
    lost: LostProcess | None = None
    while True:
        try:
            return _with_second_start(attempt, lost is not None, say)
        except LostProcess as error:
            lost, error_of_start = error, None
        except (UserError, StartFailure) as error:
            if lost is None:
                raise
            error_of_start = error
        after = checkpoint()
        failed = failed + 1 if after <= before else 1
        before = max(before, after)
        if failed > most:
            raise _end(lost, error_of_start, most) from (error_of_start or lost)
        why = str(lost) if error_of_start is None else f"it could not be started again: {error_of_start}"
        say(f"warning: {shorten(why, MAX_REASON)}")
        say(f"starting again from the {_checkpoint(before)} (restart {failed} of {most}; backend.max_restarts)")
        if stop.wait(PAUSE_S):
            raise KeyboardInterrupt


def _with_second_start(attempt: Callable[[bool], None], again: bool, say: Callable[[str], None]) -> None:
    try:
        attempt(again)
    except RayStartTimeout as error:
        say(f"warning: {error}; starting it once more")
        attempt(again)


def _end(lost: LostProcess, error_of_start: Exception | None, most: int) -> JobError:
    """Return the error that ends the run after the last restart: of the loss, and of a start that failed after it."""
    if not most:
        return LostProcess(f"{lost}\n{HINT}")
    times = "once" if most == 1 else f"{most} times"
    also = "" if error_of_start is None else f"\nit could not be started again: {error_of_start}"
    return JobError(f"{lost}{also}\nit was started again {times} without a new checkpoint (backend.max_restarts)")


def _checkpoint(step: int) -> str:
    return f"checkpoint of step {step}" if step else "stage's beginning"
