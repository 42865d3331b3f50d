"""A thread that makes one call at a time and never holds up the end of the process."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

Call = tuple[Future, Callable[..., Any], tuple, dict]


class CallThread(Executor):
    """Calls in turn, in a daemon thread.

    The interpreter joins the threads of a ThreadPoolExecutor before it exits: after an interrupt, a job would
    wait for whatever a reward is doing. A call that is under way here ends with the process.
    """

    def __init__(self, name: str):
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=_serve, args=(self._calls,), name=name, daemon=True)
        self._thread.start()

    def submit(self, call: Callable[..., Any], /, *args: Any, **more: Any) -> Future:
        """The result of `call`, after those of earlier calls."""
        future: Future = Future()
        self._calls.put((future, call, args, more))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the thread after the calls that wait, or after the one under way."""
        while cancel_futures:
            try:
                waiting = self._calls.get_nowait()
            except queue.Empty:
                break
            if waiting is not None:
                waiting[0].cancel()
        self._calls.put(None)
        if wait:
            self._thread.join()


def _serve(calls: "queue.SimpleQueue[Call | None]") -> None:
    while (waiting := calls.get()) is not None:
        future, call, args, more = waiting
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call(*args, **more))
            except BaseException as error:  # whatever it is, it is the caller's
                future.set_exception(error)
        del waiting, future, call, args, more  # or they would be kept until the next call
