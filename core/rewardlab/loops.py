"""An event loop in a thread of its own, so that whoever asks is never held."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

CLOSE_LIMIT_S = 2.0


class LoopThread:
    """A running event loop in a daemon thread."""

    def __init__(self, name: str):
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start `work` on the loop; from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the loop and wait for it, from another thread. An interrupt cancels it."""
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def here(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`, which belongs to this loop, from whatever loop is running."""
        if asyncio.get_running_loop() is self.loop:
            return await work
        return await asyncio.wrap_future(self.submit(work))

    def close(self) -> None:
        """Cancel what still runs and end the thread; idempotent.

        Where something holds the loop for longer than CLOSE_LIMIT_S, its thread ends with the process.
        """
        if self.loop.is_closed():
            return
        try:
            self.submit(_cancel_all()).result(timeout=CLOSE_LIMIT_S)
        except TimeoutError:
            return
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=10)
        self.loop.close()


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_default_executor()
