"""An actor of a job as the job's other actors call it: they wait while Ray restarts it."""

import asyncio
import logging
import time
from typing import Any, Protocol

from rewardlab.errors import JobError, one_line

from rewardlab_openrlhf.ray_actors import RESTART_PAUSE, TRIES_OF_THE_DEAD, JobActor

PATIENCE = 900.0
"""seconds for an actor to come back; its process may start slowly, and the coordinator reads the whole ledger"""
_log = logging.getLogger(__name__)


class Client(Protocol):
    """Something that calls an actor's methods, wherever the actor is."""

    waiting: int
    """how many calls wait for an actor that is out of reach"""

    async def call(self, method: str, *arguments: Any) -> Any:
        """Return what the method returns."""


class ActorClient:
    """A client of "<job>/coordinator" or "<job>/scorer/<number>", for use from any event loop.

    A call is made again after a restart: only for methods that may be called twice.
    """

    def __init__(self, name: str):
        self._actor = JobActor(name)
        self.waiting = 0

    async def call(self, method: str, *arguments: Any) -> Any:
        """Return what the actor returns; its own error, and that it stays dead, is a JobError."""
        from ray.exceptions import ActorDiedError, RayActorError

        found_dead, lost = 0, None
        while True:
            try:
                return await self._actor.call(method, *arguments)
            except RayActorError as error:  # Ray refuses every call while an actor's new process starts
                why, lost = one_line(error), lost or time.monotonic()
                found_dead += isinstance(error, ActorDiedError)
                if found_dead >= TRIES_OF_THE_DEAD or time.monotonic() - lost > PATIENCE:
                    raise JobError(f"the job's {self._actor.name.split('/', 1)[-1]} is dead: {why}") from error
                _log.warning("%s is out of reach: %s", self._actor.name, why)
                self.waiting += 1
                try:
                    await asyncio.sleep(RESTART_PAUSE)
                finally:
                    self.waiting -= 1
