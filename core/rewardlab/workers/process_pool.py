"""The processes of one worker file or reward, and the threads that wait for their answers.

A process that passes its deadline or its memory limit is killed and replaced; one that dies is replaced and its call
tried once more. No process outlives its pool, or a host that is killed.
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

from rewardlab.text.redaction import redact
from rewardlab.workers.errors import PluginRaisedError, WorkerDiedError, WorkerError, WorkerStartError, shortened
from rewardlab.workers.output import PoolOutput
from rewardlab.workers.process import Show, WorkerProcess

DEATHS_IN_A_ROW = 7
"""Deaths in the whole pool after which it gives up, unless a request that was answered before is answered again:
deadly questions come in rows."""
SLOW_START_S = 10.0
"""Seconds after which the user is told that a process is still starting: a model may have to be downloaded."""
CLOSE_LIMIT = 10.0  # seconds that `close` waits for processes that it has killed

T = TypeVar("T")


class ProcessCall(Generic[T]):
    """A call that some process of a pool is to answer, and the future of its result.

    Args:
        request: makes the line that is sent; with None, a process is made ready and asked nothing.
        limit: seconds, from when a process has the call.
        read: makes the result from the answer.
    """

    def __init__(self, request: Callable[[], bytes] | None, limit: float, read: Callable[[dict[str, Any]], T]) -> None:
        self.future: Future[T] = Future()
        self._request, self._limit, self._read = request, limit, read

    def run(self, pool: "ProcessPool") -> None:
        """Ask the pool and set the future's result or exception; do nothing if the future was cancelled."""
        wanted = self.future.set_running_or_notify_cancel()
        failure: BaseException | None = None
        result: Any = None
        try:
            if wanted:
                result = self._read(pool.ask(None if self._request is None else self._request(), self._limit))
        except BaseException as error:
            failure = error
        if failure is not None:
            self.future.set_exception(failure)
        elif wanted:
            self.future.set_result(result)
        del failure  # the exception, this frame and the future would keep each other


class ProcessPool:
    """Up to `size` processes; another one is started when a call finds all of them busy.

    A pool holds no reference to its owner, so that the owner can be collected; `close` ends it, from any thread.

    The threads are plain daemon threads: an executor's are joined at exit, before anything can end what they wait for.

    Args:
        start: starts a process, given what is to be called with the chunks that it prints.
        say: called with each line that the user should read: how processes died, each way once, and what they
            print; absent: stderr, redacted.
        title: what the user knows the pool by; absent: `use`. good: a request that was answered before, with its
            limit; after many deaths the pool asks it once more before it gives up.
    """

    def __init__(
        self,
        use: str,
        size: int,
        start: Callable[[Show], WorkerProcess],
        say: Callable[[str], None] | None = None,
        title: str | None = None,
    ) -> None:
        self.restarts = 0
        self.size = size
        self.good: tuple[Callable[[], bytes], float] | None = None
        self._use, self._start, self._say = use, start, say or _warn
        self._output = PoolOutput(title or use, say or _print)
        self._started = 0
        self._fates_told: set[str] = set()
        self._lock = threading.RLock()  # the collector may call `close` in the middle of anything
        self._jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._children: set[WorkerProcess] = set()
        self._free: list[WorkerProcess] = []
        self._ended = self._deaths = 0
        self._last_death = ""
        self._over: tuple[type[WorkerError], str] | None = None
        self._closed = False
        self._owner = os.getpid()

    def submit(self, run: Callable[["ProcessPool"], None]) -> None:
        """Call `run(pool)` in one of the threads; it may `ask`, and must not raise.

        WorkerError if the pool has been closed or has given up.
        """
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
        """Return the answer of one process; without a request, only make a process ready. Only for the pool's threads.

        Args:
            limit: seconds.

        Raises PluginRaisedError, WorkerTimeout, WorkerMemoryError, WorkerStartError, and WorkerDiedError if two
        processes died of the request.
        """
        try:
            answer = self._ask(request, limit)
        except WorkerDiedError:
            if request is None:
                raise
            self._consider_giving_up()
            answer = self._ask_again(request, limit)
        if "raised" in answer:
            raise PluginRaisedError(shortened(answer["raised"]))
        return answer

    def warm(self) -> None:
        """Have a process ready while other work is done. Returns at once; the first call says what failed."""
        self.submit(ProcessCall(None, 0.0, lambda _: None).run)

    def close(self) -> None:
        """Kill every process; calls under way raise WorkerError. Closing again does nothing."""
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
        except WorkerDiedError:
            self._consider_giving_up()
            raise

    def _consider_giving_up(self) -> None:
        """Give up after many deaths in a row, unless the good request shows that only the questions are deadly."""
        if self._deaths < DEATHS_IN_A_ROW:
            return
        if self.good is not None:
            request, limit = self.good
            with contextlib.suppress(WorkerError):
                self._ask(request(), limit)  # an answer sets the count of deaths to 0
        with self._lock:
            if self._deaths >= DEATHS_IN_A_ROW and self._over is None:
                why = f"gave up after {self._deaths} deaths in a row; the last: {self._last_death}"
                self._over = (WorkerDiedError, why)
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
            child = child or self._start_process()
            self._get_ready(child)
            answer = child.ask(request, limit) if request else {}
        except WorkerError as error:
            self._note_failure(error)
            raise
        finally:
            if child is not None:
                self._release(child)
        self._deaths = 0
        return answer

    def _get_ready(self, child: WorkerProcess) -> None:
        if child.ready:
            return
        notice = threading.Timer(SLOW_START_S, self._say, [f"{self._use}: is still being started; loading a model?"])
        notice.daemon = True
        notice.start()
        try:
            child.get_ready()
        finally:
            notice.cancel()
            notice.join()

    def _start_process(self) -> WorkerProcess:
        with self._lock:
            self._started += 1
            number = self._started
        child = self._start(self._output.of_worker(number))
        with self._lock:
            self._children.add(child)
            if self._ended:
                self._ended -= 1
                self.restarts += 1
            if self._closed:
                child.kill()
        return child

    def _release(self, child: WorkerProcess) -> None:
        with self._lock:
            if child.ended:
                self._children.discard(child)
                self._ended += 1
            else:
                self._free.append(child)

    def _note_failure(self, error: WorkerError) -> None:
        """Remember a failure that later calls depend on: a start that is hopeless, a death, the pool's end."""
        with self._lock:
            if self._closed:
                self.refuse_if_over()
            if isinstance(error, WorkerStartError):
                self._over = (WorkerStartError, str(error))
            elif isinstance(error, WorkerDiedError):
                self._deaths += 1
                self._last_death = str(error)
                if error.fate not in self._fates_told:
                    self._fates_told.add(error.fate)
                    self._say(error.unseen)

    def refuse_if_over(self) -> None:
        """Raise the reason why the pool takes no more calls, if there is one."""
        if self._over is not None:
            kind, why = self._over
            raise kind(why)


def _warn(text: str) -> None:
    _print(f"warning: {text}")


def _print(text: str) -> None:
    print(redact(text), file=sys.stderr, flush=True)
