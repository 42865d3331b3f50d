"""The desk of a job as its scorers call it: waited for while Ray restarts it."""

import asyncio
import logging
from typing import Any

from rewardlab.backends.openrlhf.actors import JobActor
from rewardlab.errors import JobError, one_line

PAUSE_S = 1.0
LOSSES = 5
"""times that one call is cut off by the desk's end; Ray restarts it three times"""
_log = logging.getLogger(__name__)


class JobDesk:
    """Calls to the actor "<job>/desk", from any event loop."""

    def __init__(self, job: str):
        self._actor = JobActor(f"{job}/desk")

    async def call(self, method: str, *arguments: Any) -> Any:
        """What the desk returns; its own error is a JobError with its text. JobError where it stays dead."""
        from ray.exceptions import RayActorError

        for losses in range(1, LOSSES + 1):
            try:
                return await self._actor.call(method, *arguments)
            except RayActorError as error:
                why = one_line(error)
                _log.warning("the desk is out of reach (%d): %s", losses, why)
                await asyncio.sleep(PAUSE_S)
        raise JobError(f"the job's desk is dead: {why}")
