"""A watch over Ray's head: without one, Ray ends the driver's process after a minute, and says nothing of its rows."""

import asyncio

from rewardlab.errors import JobError

PAUSE_S, CALL_S = 3.0, 2.0
MISSES = 8
"""calls in a row that nobody takes until a head counts as lost: 24 to 40 s, less than the 60 that Ray waits"""


async def until_lost(gcs: str) -> JobError:
    """Return what ends the job once nobody listens at the address of Ray's head any more."""
    host, _, port = gcs.rpartition(":")
    misses = 0
    while misses < MISSES:
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(host.strip("[]"), int(port)), CALL_S)
            writer.close()
            misses = 0
        except (OSError, TimeoutError):
            misses += 1
        await asyncio.sleep(PAUSE_S)
    return JobError(f"Ray's head at {gcs} is lost; start the cluster again")
