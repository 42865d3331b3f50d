"""Automatic restarts of a stage whose job died of a lost engine, rank or node: `backend.max_restarts`."""

from collections.abc import Callable
from textwrap import shorten
from threading import Event

from rewardlab.errors import JobError, UserError

from rewardlab_openrlhf.job.lost_process import LostProcess

PAUSE_S = 5.0
"""before a job is started again: what is left of it lets its GPUs go"""


def with_restarts(
    attempt: Callable[[bool], None],
    checkpoint: Callable[[], int],
    most: int,
    stop: Event,
    say: Callable[[str], None],
) -> None:
    """Run the stage; start it again where its job died of a loss, `most` times in a row without a new checkpoint.

    attempt: runs the stage once; called with whether it is a restart. checkpoint: returns the step of the newest
    checkpoint, as far as is known here. stop: ends a pause. Everything else that ends a job is raised as it is. What
    keeps a restart from beginning, such as a node that does not come back, is a JobError with the first reason.
    """
    failed, before = 0, checkpoint()
    lost: LostProcess | None = None
    while True:
        try:
            return attempt(lost is not None)
        except LostProcess as error:
            lost, after = error, checkpoint()
        except UserError as error:
            if lost is None:
                raise
            raise JobError(f"{lost}\nit could not be started again: {error}") from error
        failed = failed + 1 if after <= before else 1
        before = max(before, after)
        if failed > most:
            if most:
                raise JobError(f"{lost}\nit was started again {most} times without a new checkpoint") from lost
            raise lost
        say(f"warning: {shorten(str(lost), 1000)}")
        say(f"starting again from the {_checkpoint(before)} (restart {failed} of {most}; backend.max_restarts)")
        if stop.wait(PAUSE_S):
            raise KeyboardInterrupt


def _checkpoint(step: int) -> str:
    return f"checkpoint of step {step}" if step else "stage's beginning"
