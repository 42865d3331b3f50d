"""Threads for code that may take long: with an event loop of their own, or for one plain call after another.

They are daemon threads: the interpreter joins an executor's threads when it exits, and a reward that hangs would hang
it.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from rewardlab.errors import JobError

T = TypeVar("T")
CLOSE_LIMIT = 2.0  # seconds that `close` waits for code that cannot be interrupted


class LoopThread:
    """A running event loop in a daemon thread."""

    def __init__(self, name: str) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self.loop = self._runner.get_loop()
        self._closed = False
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with self._runner:  # leaving it cancels what still runs
            self.loop.run_forever()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start `work` on the loop, from any thread, and return its future. Raises RuntimeError after `close`."""
        try:
            _refuse_fork(self._owner, self._thread)
            with self._lock:  # what is accepted is run or cancelled, never forgotten
                if self._closed:
                    raise RuntimeError(f"{self._thread.name} is closed")
                return asyncio.run_coroutine_threadsafe(work, self.loop)
        except (RuntimeError, JobError):
            work.close()
            raise

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the loop, from another thread, and return its result. An interrupt cancels it."""
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def call(self, function: Callable[[], T]) -> T:
        """Call `function` in the loop's thread, whose state needs no lock then, from any thread; return its result."""

        async def called() -> T:
            return function()

        return function() if self._thread is threading.current_thread() else self.run(called())

    async def here(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`, which belongs to this loop, from any running loop, and return its result."""
        if asyncio.get_running_loop() is self.loop:
            return await work
        return await asyncio.wrap_future(self.submit(work))

    def close(self) -> None:
        """Cancel what still runs and end the thread; calling it again does nothing.

        Code that blocks the loop for longer than CLOSE_LIMIT is left behind; the thread ends after it.
        """
        if os.getpid() != self._owner:
            return
        with self._lock:
            if not self._closed:
                self._closed = True
                with suppress(RuntimeError):  # the loop has ended by itself
                    self.loop.call_soon_threadsafe(self.loop.stop)
        if self._thread is not threading.current_thread():
            self._thread.join(CLOSE_LIMIT)


class CallThread:
    """A daemon thread that makes one call after another, with no event loop running in it."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]] | None] = SimpleQueue()
        self._owner = os.getpid()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Make a call in the thread and return its result. A call that has begun goes on if the awaiting task ends."""
        _refuse_fork(self._owner, self._thread)
        future: Future[T] = Future()
        self._calls.put((future, function, arguments))
        return await asyncio.wrap_future(future)

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            _make_call(*call)
            del call  # or its arguments would be kept until the next call

    def close(self) -> None:
        """End the thread after its last call, waiting for at most CLOSE_LIMIT; calling it again does nothing.

        No call may be made after it.
        """
        if os.getpid() == self._owner:
            self._calls.put(None)
            self._thread.join(CLOSE_LIMIT)


def _refuse_fork(owner: int, thread: threading.Thread) -> None:
    """Raise JobError in a fork of the process whose thread it is: the fork has none, and would wait for ever."""
    if os.getpid() != owner:
        raise JobError(f"{thread.name} belongs to the process that this one was forked from; open it again here")


def _make_call(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = function(*arguments)
    except (StopIteration, GeneratorExit) as error:  # no asyncio future can hand these on to its awaiter
        stopped = RuntimeError(f"{type(error).__name__} was raised")
        stopped.__cause__ = error
        future.set_exception(stopped.with_traceback(error.__traceback__))
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


def must_reraise(error: BaseException, task: asyncio.Task[Any] | None) -> bool:
    """Return whether an exception from a plugin's code must go on to the host: a cancellation, or the task's end.

    Args:
        task: the one that called the plugin. A CancelledError that nobody requested is the plugin's own, like any
            other exception; so is a GeneratorExit while the task runs, which only somebody else can close.
    """
    if isinstance(error, asyncio.CancelledError):
        return task is None or task.cancelling() > 0
    return isinstance(error, GeneratorExit) and (task is None or running_task() is not task)


def running_task() -> asyncio.Task[Any] | None:
    """Return the task that runs in this thread; None if none does."""
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop: whoever collects garbage closes a coroutine
        return None
