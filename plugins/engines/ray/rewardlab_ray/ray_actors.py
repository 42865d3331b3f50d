"""Named actors of a job as its other processes call them: found by name, called again once Ray has restarted them.

Nothing here holds the caller's event loop.
"""

import asyncio
from typing import Any, Protocol

from rewardlab.errors import JobError, RewardlabError, one_line

NAMESPACE = "rewardlab"
WITHOUT_TORCH = {"env_vars": {"RAY_ENABLE_ZERO_COPY_TORCH_TENSORS": "0"}}
"""the runtime_env of a process that sends no tensors: for those, which a job's engine sends, Ray imports torch"""
CALLS_AT_ONCE = 1_000_000
"""max_concurrency of an actor that is asked for members: each waits for its whole group in a call of its own"""
UNTIL_DEAD = {"max_task_retries": -1}
"""options of a call that Ray makes again as long as it restarts the actor, on another node if need be"""


def coordinator_name(job: str) -> str:
    """Return the name of a job's coordinator in Ray's namespace `rewardlab`."""
    return f"{job}/coordinator"


def scorer_name(job: str, number: int) -> str:
    """Return the name of a job's scorer in Ray's namespace `rewardlab`; numbers begin at 0."""
    return f"{job}/scorer/{number}"


class ActorClient(Protocol):
    """Something that calls an actor's methods, wherever the actor is."""

    waiting: int
    """how many calls are under way"""

    async def call(self, method: str, *arguments: Any) -> Any:
        """Return what the method returns."""


class JobActor:
    """An actor of the job by its name in Ray's namespace `rewardlab`, for use from any event loop.

    A call that was under way when the actor died is made again by Ray, and others wait until its new process answers.
    So a method may run twice for one call, and calls that wait come in any order: only for methods that bear it.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.waiting = 0
        """how many calls are under way: all of them wait while the actor is out of reach"""
        self._handle: Any = None

    async def call(self, method: str, *arguments: Any) -> Any:
        """Return what the method returns; however long that takes.

        JobError: the method's own error, with its text, or that the actor is dead and not restarted any more.
        """
        from ray.exceptions import RayActorError, RayTaskError

        remote = getattr(await self._find(), method).options(**UNTIL_DEAD).remote
        self.waiting += 1
        try:
            return await remote(*arguments)
        except RayTaskError as error:
            raise JobError(self._error_text(error.cause)) from error
        except RayActorError as error:
            raise JobError(f"{self.name} is dead: {one_line(error)}") from error
        finally:
            self.waiting -= 1

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
    """A time limit: `async with Deadline(seconds, text)` raises JobError `text` if the block takes longer.

    A TimeoutError that the block raises by itself passes through.
    """

    def __init__(self, seconds: float, text: str, error: type[JobError] = JobError) -> None:
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


def scoring_deadline(seconds: float, subject: str, actor: str) -> Deadline:
    """Return the time limit of calls to an actor that scores. subject: what the calls are about, for the message."""
    return Deadline(seconds, f"{subject}: no answer of {actor} within {seconds:g} s (scoring_timeout)")
