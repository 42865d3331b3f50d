"""The failures of workers, each with what became of the process."""

from rewardlab.errors import JobError
from rewardlab.text.redaction import redact

MAX_MESSAGE_LENGTH = 300
"""characters of an exception, in a message"""


class WorkerError(JobError):
    """The failure of a worker, of whatever kind."""


class WorkerTimeout(WorkerError):
    """A call that passed its deadline; its process was killed.

    Args:
        cpu_bound: in this call the process used at least half of the limit as processor time, so that the question
            is slow in itself, and not the machine.
    """

    def __init__(self, message: str, *, cpu_bound: bool) -> None:
        super().__init__(message)
        self.cpu_bound = cpu_bound


class WorkerMemoryError(WorkerError):
    """A call that took more memory than a worker may take; its process was killed."""


class WorkerDiedError(WorkerError):
    """A call that two processes died of, or that nobody tries any more after several deaths in a row.

    Args:
        fate: how a process ended, such as "exit code 1" or a signal.
        unseen: the message, without lines of the process that the user has seen already.
    """

    def __init__(self, message: str, *, fate: str = "", unseen: str = "") -> None:
        super().__init__(message)
        self.fate, self.unseen = fate, unseen or message


class WorkerStartError(WorkerError):
    """A worker whose reward or file cannot be built in it; another try would not help."""


class PluginRaisedError(WorkerError):
    """An exception of the plugin in the worker, or a wrong type of answer. The process lives on."""


def shortened(raised: str) -> str:
    """Return what a worker says of an exception without secrets, cut, with the place that it ends with."""
    text, at, place = redact(raised).rpartition(" (at ")
    if not at:
        text, place = place, ""
    return (text if len(text) <= MAX_MESSAGE_LENGTH else f"{text[: MAX_MESSAGE_LENGTH - 3]}...") + at + place
