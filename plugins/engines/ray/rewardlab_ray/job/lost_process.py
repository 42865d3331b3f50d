"""The losses of an engine, a rank or a node after which a stage may be started again, unlike what would recur."""

import re
from collections.abc import Iterator

from rewardlab.errors import JobError, one_line

from rewardlab_ray.user_lines import plain

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


ENGINE_LOST = "a process of the rollout engine was lost"
"""begins the reason why a job has to end that a process of it found so"""
MAX_TEXT = 2000
_GUESSES = re.compile(r" (?:Some common causes include|There are some potential root causes).*", re.DOTALL)
_OF_RAY = re.compile(r"\b(class_name|actor_id|pid|name|namespace|ip): (\S*) ?")
"""in Ray's text of an actor that died"""


class LostProcess(JobError):
    """A job that died because a process or a machine of it was lost, and not by what it was told to do."""


class StartFailure(JobError):
    """A job that failed before its first group was scored, by no mistake of the recipe: in a restart, it may pass."""


class RayStartTimeout(StartFailure):
    """A Ray on this machine that was not up in the time that Ray gives it, 30 s, as on a machine that is busy."""


def is_loss(error: BaseException) -> bool:
    """Return whether an error of the engine came of a lost process, node or connection, as far as its text says."""
    for cause in _causes(error):
        if isinstance(cause, LostProcess):
            return True
        if type(cause).__name__ in _KINDS:
            return _OF_ITS_OWN_CODE not in str(cause)
    return is_text_of_loss(f"{type(cause).__name__}: {cause}")


def is_text_of_loss(raised: str) -> bool:
    """Return whether an exception's line is about a lost process, node or connection."""
    return _OF_A_LOSS.search(raised) is not None


def is_reason_of_loss(why: str) -> bool:
    """Return whether the reason for which the coordinator ends a job is a loss of the engine's."""
    return why.startswith(ENGINE_LOST) or "EngineDead" in why


def text_of_engine(error: BaseException) -> str:
    """Return what was raised in the engine as one line, without Ray's trace of how it came here.

    Of a process that died, it is which one and how; Ray's guesses of the causes, and its ids, are in the log alone.
    """
    *_, cause = _causes(error)
    text = plain(one_line(cause, MAX_TEXT))
    if type(cause).__name__ not in _KINDS:
        return text
    text = _GUESSES.sub("", text)
    details = {name: value for name, value in _OF_RAY.findall(text) if name in ("class_name", "pid", "ip")}
    if "class_name" not in details:
        return text
    error_text, _, why = _OF_RAY.sub("", text).partition("The actor is dead because ")
    place = ", ".join(f"{name} {details[name]}" for name in ("pid", "ip") if name in details)
    return f"{type(cause).__name__}: {details['class_name']} ({place}) died: {why or error_text}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, then what was raised in the actor that Ray's error is about, and so on."""
    yield error
    while isinstance(cause := getattr(error, "cause", None), BaseException):
        yield cause
        error = cause
