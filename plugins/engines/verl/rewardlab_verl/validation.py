"""The groups of verl's validation, whose completions look like those of the training to a reward manager."""

from collections.abc import Awaitable, Callable
from typing import Any

from rewardlab.concurrency import CallThread


def validation() -> Callable[[str], Awaitable[bool]]:
    """Return a function that tells whether verl has a group under its validation, from any process of the job."""
    thread, joined = CallThread("rewardlab-transfer-queue"), list[Any]()

    def look(uid: str) -> bool:
        import transfer_queue

        if not joined:
            transfer_queue.init()  # joins the one of verl's job
            joined.append(transfer_queue)
        return uid in (transfer_queue.kv_list("val") or {}).get("val", {})

    async def holds(uid: str) -> bool:
        is_held: bool = await thread.call(look, uid)
        return is_held

    return holds
