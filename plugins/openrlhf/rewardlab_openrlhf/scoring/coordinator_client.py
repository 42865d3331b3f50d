"""The coordinator of a job as its scorers call it: they wait while Ray restarts it."""

import asyncio
import logging
import time
from typing import Any

from rewardlab.errors import JobError, one_line

from rewardlab_openrlhf.ray_actors import RESTART_PAUSE, TRIES_OF_THE_DEAD, JobActor

PATIENCE = 900.0
"""seconds for the coordinator to come back; its process may start slowly, and reads the whole ledger"""
_log = logging.getLogger(__name__)


class CoordinatorClient:
    """A client of the coordinator, the actor "<job>/desk", for use from any event loop."""

    def __init__(self, job: str):
        self._actor = JobActor(f"{job}/desk")
        self.waiting = 0
        """how many calls wait for a coordinator that is out of reach"""

    async def call(self, method: str, *arguments: Any) -> Any:
        """Return what the coordinator returns; its own error, and that it stays dead, is a JobError."""
        from ray.exceptions import ActorDiedError, RayActorError

        found_dead, lost = 0, None
        while True:
            try:
                return await self._actor.call(method, *arguments)
            except RayActorError as error:  # Ray refuses every call while an actor's new process starts
                why, lost = one_line(error), lost or time.monotonic()
                found_dead += isinstance(error, ActorDiedError)
                if found_dead >= TRIES_OF_THE_DEAD or time.monotonic() - lost > PATIENCE:
                    raise JobError(f"the job's coordinator is dead: {why}") from error
                _log.warning("the coordinator is out of reach: %s", why)
                self.waiting += 1
                try:
                    await asyncio.sleep(RESTART_PAUSE)
                finally:
                    self.waiting -= 1
