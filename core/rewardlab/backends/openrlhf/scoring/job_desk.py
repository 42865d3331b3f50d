"""The desk of a job as its scorers call it: waited for while Ray restarts it."""

import asyncio
import logging
import time
from typing import Any

from rewardlab.backends.openrlhf.rollout.actors import RESTART_PAUSE, TRIES_OF_THE_DEAD, JobActor
from rewardlab.errors import JobError, one_line

PATIENCE = 900.0
"""seconds for the desk to be back; its process may start slowly, and reads the whole ledger"""
_log = logging.getLogger(__name__)


class JobDesk:
    """Calls to the actor "<job>/desk", from any event loop."""

    def __init__(self, job: str):
        self._actor = JobActor(f"{job}/desk")

    async def call(self, method: str, *arguments: Any) -> Any:
        """What the desk returns; its own error is a JobError with its text. JobError where it stays dead."""
        from ray.exceptions import ActorDiedError, RayActorError

        found_dead, lost = 0, None
        while True:
            try:
                return await self._actor.call(method, *arguments)
            except RayActorError as error:  # Ray refuses every call while an actor's new process starts
                why, lost = one_line(error), lost or time.monotonic()
                found_dead += isinstance(error, ActorDiedError)
                if found_dead >= TRIES_OF_THE_DEAD or time.monotonic() - lost > PATIENCE:
                    raise JobError(f"the job's desk is dead: {why}") from error
                _log.warning("the desk is out of reach: %s", why)
                await asyncio.sleep(RESTART_PAUSE)
