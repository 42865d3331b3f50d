"""The processes of one worker file or reward, and the threads that wait for their answers.

A process that passes its deadline is killed and replaced; one that dies is replaced and its call tried once more.
Nothing outlives the crew, nor a host that is killed.
"""

import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from rewardlab.redaction import redact
from rewardlab.worker_child import Child, PluginRaised, WorkerDied, WorkerError, WorkerStartError

DEATHS_IN_A_ROW = 7
"""over the crew; then it gives up, unless what was answered before is answered again: deadly questions come in rows"""
SLOW_START_S = 10.0
"""then it is said that a process is still being started: a model may have to be downloaded"""
CLOSE_LIMIT = 10.0  # seconds that `close` waits for processes that it has killed

T = TypeVar("T")


class Call(Generic[T]):
    """One thing to do by a process, and its result to come.

    request: makes the line that is sent; None has a process ready and asks nothing.
    limit: seconds, from when a process has the call.
    """

    def __init__(self, request: Callable[[], bytes] | None, limit: float, read: Callable[[dict[str, Any]], T]):
        self.future: Future[T] = Future()
        self._request, self._limit, self._read = request, limit, read

    def run(self, crew: "Crew") -> None:
        """Ask, unless nobody waits any more; what is raised is the future's."""
        wanted = self.future.set_running_or_notify_cancel()
        failure: BaseException | None = None
        result: Any = None
        try:
            if wanted:
                result = self._read(crew.ask(None if self._request is None else self._request(), self._limit))
        except BaseException as error:
            failure = error
        if failure is not None:
            self.future.set_exception(failure)
        elif wanted:
            self.future.set_result(result)
        del failure  # the exception, this frame and the future would keep each other


class Crew:
    """Up to `size` processes, one more started when a call finds all of them busy. Knows no owner, so that who
    holds it can be collected; `close` ends it, from anywhere.

    start: starts a process. say: is told of each that died and is replaced; absent: a line on stderr, redacted.
    good: a request that was answered, with its limit; what has died often is asked it before the crew gives up.

    Plain daemon threads: those of an executor are joined at exit before anything can end what they wait for.
    """

    def __init__(self, use: str, size: int, start: Callable[[], Child], say: Callable[[str], None] | None = None):
        self.restarts = 0
        self.size = size
        self.good: tuple[Callable[[], bytes], float] | None = None
        self._use, self._start, self._say = use, start, say or _warn
        self._lock = threading.RLock()  # the collector may call `close` in the middle of anything
        self._jobs: queue.SimpleQueue = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._children: set[Child] = set()
        self._free: list[Child] = []
        self._ended = self._deaths = 0
        self._last_death = ""
        self._over: tuple[type[WorkerError], str] | None = None
        self._closed = False
        self._owner = os.getpid()

    def submit(self, run: Callable[["Crew"], None]) -> None:
        """Have `run(crew)` called in one of the threads; it may `ask`, and must not raise. WorkerError: it is over."""
        if os.getpid() != self._owner:
            raise WorkerError(f"{self._use}: a worker cannot be used in a fork of its process")
        with self._lock:
            self.refuse_if_over()
            while len(self._threads) < self.size:
                thread = threading.Thread(target=self._serve, name=self._use, daemon=True)
                thread.start()
                self._threads.append(thread)
            self._jobs.put(run)

    def ask(self, request: bytes | None, limit: float) -> dict[str, Any]:
        """The answer of one process; without a request, only have one that is ready. From one of the threads.

        Raises PluginRaised, WorkerTimeout, WorkerStartError; WorkerDied for a request that two processes died of.
        """
        try:
            answer = self._ask(request, limit)
        except WorkerDied:
            if request is None:
                raise
            self._consider_giving_up()
            answer = self._ask_again(request, limit)
        if "raised" in answer:
            raise PluginRaised(answer["raised"])
        return answer

    def close(self) -> None:
        """Kill every process; calls under way raise WorkerError. Idempotent."""
        if os.getpid() != self._owner:
            return  # this is a fork; the processes are its parent's
        with self._lock:
            if not self._closed:
                self._closed, self._over = True, (WorkerError, "the worker was closed")
                for _ in self._threads:
                    self._jobs.put(None)
            for child in self._children:
                child.kill()
        until = time.monotonic() + CLOSE_LIMIT
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))
        with self._lock:
            while self._free:
                self._free.pop().end()

    def _ask_again(self, request: bytes, limit: float) -> dict[str, Any]:
        try:
            return self._ask(request, limit)
        except WorkerDied:
            self._consider_giving_up()
            raise

    def _consider_giving_up(self) -> None:
        """After many deaths in a row: are the questions deadly, or is the worker broken?"""
        if self._deaths < DEATHS_IN_A_ROW:
            return
        if self.good is not None:
            request, limit = self.good
            with contextlib.suppress(WorkerError):
                self._ask(request(), limit)  # an answer sets the count to 0
        with self._lock:
            if self._deaths >= DEATHS_IN_A_ROW and self._over is None:
                why = f"gave up after {self._deaths} deaths in a row; the last: {self._last_death}"
                self._over = (WorkerDied, why)
        self.refuse_if_over()

    def _serve(self) -> None:
        while (run := self._jobs.get()) is not None:
            run(self)
            del run  # or it would be kept until the next one comes

    def _ask(self, request: bytes | None, limit: float) -> dict[str, Any]:
        with self._lock:
            self.refuse_if_over()
            child = self._free.pop() if self._free else None
        try:
            child = child or self._hire()
            self._get_ready(child)
            answer = child.ask(request, limit) if request else {}
        except WorkerError as error:
            self._note(error)
            raise
        finally:
            if child is not None:
                self._release(child)
        self._deaths = 0
        return answer

    def _get_ready(self, child: Child) -> None:
        if child.ready:
            return
        told = threading.Timer(SLOW_START_S, self._say, [f"{self._use}: is still being started; loading a model?"])
        told.daemon = True
        told.start()
        try:
            child.get_ready()
        finally:
            told.cancel()

    def _hire(self) -> Child:
        child = self._start()
        with self._lock:
            self._children.add(child)
            if self._ended:
                self._ended -= 1
                self.restarts += 1
            if self._closed:
                child.kill()
        return child

    def _release(self, child: Child) -> None:
        with self._lock:
            if child.ended:
                self._children.discard(child)
                self._ended += 1
            else:
                self._free.append(child)

    def _note(self, error: WorkerError) -> None:
        """Draw the consequences for later calls."""
        with self._lock:
            if self._closed:
                self.refuse_if_over()
            if isinstance(error, WorkerStartError):
                self._over = (WorkerStartError, str(error))
            elif isinstance(error, WorkerDied):
                self._deaths += 1
                self._last_death = str(error)
                self._say(str(error))

    def refuse_if_over(self) -> None:
        """Raises why nobody tries any more, if so."""
        if self._over is not None:
            kind, why = self._over
            raise kind(why)


def _warn(text: str) -> None:
    print(redact(f"warning: {text}"), file=sys.stderr)
