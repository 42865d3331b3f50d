"""The losses of an engine, a rank or a node after which a stage may be started again, unlike what would recur."""

import re
from collections.abc import Iterator

from rewardlab.errors import JobError

_OF_A_LOSS = re.compile(
    r"EngineDead|Engine core|Dist(?:Backend|Network|Store)Error|NCCL|Gloo|Connection (?:reset|closed)|"
    r"(?:unhandled|uncorrectable|unspecified launch|hardware|device-side) ?\w* ?(?:ECC|CUDA|failure|error)|"
    r"CUDA error: (?:unknown error|uncorrectable|unspecified launch failure|GPU is lost)",
)
_OF_ITS_OWN_CODE = "creation task"
"""in Ray's text of an actor that died because its constructor raised"""
_KINDS = (
    "ActorDiedError",
    "ActorUnavailableError",
    "LocalRayletDiedError",
    "NodeDiedError",
    "ObjectLostError",
    "OwnerDiedError",
    "RayActorError",
    "RaySystemError",
    "WorkerCrashedError",
)


class LostProcess(JobError):
    """A job that died because a process or a machine of it was lost, and not by what it was told to do."""


def is_loss(error: BaseException) -> bool:
    """Return whether an error of the engine came of a lost process, node or connection, as far as its text tells."""
    for cause in _causes(error):
        if isinstance(cause, LostProcess):
            return True
        if type(cause).__name__ in _KINDS:
            return _OF_ITS_OWN_CODE not in str(cause)
    return is_text_of_loss(f"{type(cause).__name__}: {cause}")


def is_text_of_loss(raised: str) -> bool:
    """Return whether an exception's line tells of a lost process, node or connection."""
    return _OF_A_LOSS.search(raised) is not None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, then what was raised in the actor that Ray's error is about, and so on."""
    yield error
    while isinstance(cause := getattr(error, "cause", None), BaseException):
        yield cause
        error = cause
