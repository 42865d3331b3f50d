"""Named actors of a job as a rollout engine calls them: found by name, awaited across their restarts.

Nothing here holds the caller's event loop.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from rewardlab.errors import JobError, RewardlabError, one_line

NAMESPACE = "rewardlab"
RESTART_PAUSE = 1.0
"""seconds between two tries to reach an actor that is being restarted"""
TRIES_OF_THE_DEAD = 3
"""calls to an actor that Ray reports as dead before we believe it: after the loss of a node it may say so too early"""

T = TypeVar("T")
_log = logging.getLogger(__name__)


def coordinator_name(job: str) -> str:
    """Return the name of a job's coordinator in Ray's namespace `rewardlab`."""
    return f"{job}/coordinator"


class JobActor:
    """An actor of the job by its name in Ray's namespace `rewardlab`, for example "<job>/scorer/0"."""

    def __init__(self, name: str):
        self.name = name
        self.losses = 0
        """how often the actor was found dead or out of reach; it may then have forgotten what it was told"""
        self._handle: Any = None

    async def call(self, method: str, *args: Any) -> Any:
        """Return the result of one call.

        The method's own error becomes a JobError with its text; RayActorError where the actor died meanwhile.
        """
        from ray.exceptions import RayActorError, RayTaskError

        try:
            return await getattr(await self._find(), method).remote(*args)
        except RayTaskError as error:
            raise JobError(self._error_text(error.cause)) from error
        except RayActorError:
            self.losses += 1
            raise

    async def across_restarts(self, attempt: Callable[[], Awaitable[T]], timeout: float, what: str) -> T:
        """Return what `attempt`, which calls this actor, returns; try again while Ray restarts the actor.

        `what` names the subject of the call in messages. JobError where the actor is not restarted any more, and
        where all tries together take more than `timeout` seconds.
        """
        from ray.exceptions import ActorDiedError, RayActorError

        found_dead = 0
        async with Deadline(timeout, f"{what}: no answer of {self.name} within {timeout:g} s (scoring_timeout)"):
            while True:
                try:
                    return await attempt()
                except RayActorError as error:
                    found_dead += isinstance(error, ActorDiedError)
                    if found_dead >= TRIES_OF_THE_DEAD:
                        raise JobError(f"{what}: {self.name} is dead: {one_line(error)}") from error
                    _log.warning("%s is out of reach and called again: %s", self.name, one_line(error))
                    await asyncio.sleep(RESTART_PAUSE)

    async def _find(self) -> Any:
        if self._handle is None:
            import ray

            try:  # this asks the cluster and waits for its answer, so not on the loop
                self._handle = await asyncio.get_running_loop().run_in_executor(
                    None, lambda: ray.get_actor(self.name, namespace=NAMESPACE)
                )
            except ValueError as error:
                raise JobError(f"there is no actor {self.name!r} in Ray's namespace {NAMESPACE!r}") from error
        return self._handle

    def _error_text(self, cause: BaseException) -> str:
        return str(cause) if isinstance(cause, RewardlabError) else f"{self.name}: {one_line(cause)}"


class Deadline:
    """A time limit: `async with Deadline(seconds, text)` raises JobError `text` where the block takes longer.

    A TimeoutError that the block raises by itself passes through.
    """

    def __init__(self, seconds: float, text: str, error: type[JobError] = JobError):
        self._timeout = asyncio.timeout(seconds)
        self._text = text
        self._error = error

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, *raised: Any) -> None:
        try:
            await self._timeout.__aexit__(*raised)
        except TimeoutError as error:
            raise self._error(self._text) from error
