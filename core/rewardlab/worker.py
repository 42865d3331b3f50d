"""Rewards in worker processes: the host's side.

A pool keeps up to `size` spawned processes (worker_process.py), each with the reward built in it, and speaks
to them in JSON lines over pipes. A process that passes its deadline is killed and replaced; one that dies is
replaced and its call tried once more. Nothing outlives the pool, nor a host that is killed.
"""

import asyncio
import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from rewardlab import worker_process
from rewardlab.errors import JobError
from rewardlab.specs import Config, Context, RewardSpec
from rewardlab.types import Completion, Group, Sample, Score
from rewardlab.worker_process import unjson

START_LIMIT = 300.0  # seconds for a process to import and build its reward, which may load a model
DEATHS_IN_A_ROW = 3  # over the pool; then it gives up
CLOSE_LIMIT = 10.0  # seconds that `close` waits for processes that it has killed
TAIL_BYTES, TAIL_LINES, TAIL_CHUNKS = 1 << 14, 20, 16  # of stderr, kept for messages
CHUNK = 1 << 16
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")

Item = tuple[Sample, Completion]


class WorkerError(JobError):
    """A worker could not do its work."""


class WorkerTimeout(WorkerError):
    """A call passed its deadline; its process was killed.

    cpu_bound: in this call the process used at least half of the limit as processor time, so that what was
    asked is slow in itself, and not the machine.
    """

    def __init__(self, message: str, *, cpu_bound: bool):
        super().__init__(message)
        self.cpu_bound = cpu_bound


class WorkerDied(WorkerError):
    """Two processes died of one call, or the pool gave up after several deaths in a row."""


class WorkerStartError(WorkerError):
    """The reward cannot be built in a worker; another try would not help."""


class PluginRaised(WorkerError):
    """`score` raised in the worker, or returned what is no list of Score. The process lives on."""


class WorkerPool:
    """The processes of one reward, for any thread and event loop; ended by `close`, the collector or at exit.

    use: "plugin/name" as in a recipe; a process finds and builds it as the host would, without judges.
    size: processes at most; one more is started when a call finds all of them busy.
    threads: math threads of each process.
    python: the interpreter of another environment; None is the host's, and the host's sys.path goes with it.
    module: path of a Python file that stands in for the plugin in an environment without rewardlab;
        worker_process.py says what it defines. Not for group scope.
    """

    def __init__(
        self,
        *,
        use: str,
        spec: RewardSpec,
        options: Config,
        context: Context,
        size: int = 1,
        threads: int = 1,
        python: str | None = None,
        module: str | None = None,
    ):
        if size < 1 or threads < 1:
            raise ValueError(
                f"{use}: size and threads of a worker pool are at least 1, not {size} and {threads}"
            )
        if module is not None and spec.scope == "group":
            raise ValueError(f"{use}: a reward of group scope needs rewardlab in its environment")
        self.size = size
        self._timeout = spec.timeout
        hello = {
            "path": [str(place) or os.getcwd() for place in sys.path] if python is None else None,
            ("use" if module is None else "file"): use if module is None else module,
            "options": options.model_dump(mode="json", by_alias=True, round_trip=True),
            "context": {"seed": context.seed, "cache_dir": str(context.cache_dir), "device": context.device},
            "limit": START_LIMIT,
        }
        start = [sys.executable, "-P"] if python is None else [python, "-I"]  # no host's packages over there
        command = [*start, worker_process.__file__]
        self._crew = _Crew(use, size, lambda: _Child(use, command, threads, _line(hello)))
        weakref.finalize(self, self._crew.close)

    @property
    def restarts(self) -> int:
        """Processes started in place of one that died or was killed at a deadline."""
        return self._crew.restarts

    def warm(self) -> None:
        """Have a process ready while other work is done. Returns at once; the first call says what failed."""
        self._crew.submit((), 0.0)

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """Scores for completion and batch scope, as the plugin gave them: number and range are unchecked.

        Raises WorkerTimeout after `spec.timeout` seconds for one item and a tenth of that for each further
        one, counted from when a process has the call; PluginRaised, WorkerDied, WorkerStartError.
        """
        if not items:
            return []
        limit = self._timeout * (1 + (len(items) - 1) / 10)
        return await asyncio.wrap_future(self._crew.submit(items, limit))

    async def score_group(self, group: Group) -> list[Score]:
        """Scores for group scope; otherwise as `score`."""
        return await self.score([(group.sample, completion) for completion in group.completions])

    def close(self) -> None:
        """Kill every process; calls under way raise WorkerError. Idempotent, from any thread."""
        self._crew.close()


class _Crew:
    """A pool's processes, and the threads that wait for them. Knows no pool, so that a pool can be collected.

    Plain daemon threads: those of an executor are joined at exit before anything can end what they wait for.
    """

    def __init__(self, use: str, size: int, start: Callable[[], "_Child"]):
        self.restarts = 0
        self._use, self._size, self._start = use, size, start
        self._lock = threading.RLock()  # the collector may call `close` in the middle of anything
        self._jobs: queue.SimpleQueue = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._children: set[_Child] = set()
        self._free: list[_Child] = []
        self._ended = self._deaths = 0
        self._over: tuple[type[WorkerError], str] | None = None
        self._closed = False
        self._owner = os.getpid()

    def submit(self, items: Sequence[Item], limit: float) -> "Future[list[Score]]":
        if os.getpid() != self._owner:
            raise WorkerError(f"{self._use}: a worker pool cannot be used in a fork of its process")
        future: Future[list[Score]] = Future()
        with self._lock:
            self._refuse_if_over()
            while len(self._threads) < self._size:
                thread = threading.Thread(target=self._serve, name=self._use, daemon=True)
                thread.start()
                self._threads.append(thread)
            self._jobs.put((items, limit, future))
        return future

    def close(self) -> None:
        if os.getpid() != self._owner:
            return  # this is a fork; the processes are its parent's
        with self._lock:
            if not self._closed:
                self._closed, self._over = True, (WorkerError, "the worker pool was closed")
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

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._do(*job)
            del job  # or it would be kept until the next one comes

    def _do(self, items: Sequence[Item], limit: float, future: "Future[list[Score]]") -> None:
        wanted = future.set_running_or_notify_cancel()
        scores: list[Score] = []
        failure: BaseException | None = None
        try:
            if wanted:
                scores = self._score(items, limit)
        except BaseException as error:
            failure = error
        if failure is not None:
            future.set_exception(failure)
        elif wanted:
            future.set_result(scores)
        del failure, future  # the exception, this frame and the future would keep each other

    def _score(self, items: Sequence[Item], limit: float) -> list[Score]:
        if not items:  # `warm`
            self._ask(None, limit)
            return []
        try:
            request = _line(_request(items) | {"limit": limit})
        except (TypeError, ValueError, RecursionError) as error:
            wrong = ((sample.id, unjson(dict(sample.fields), "fields")) for sample, _ in items)
            told = [f"sample {name!r}: {what}" for name, what in wrong if what]
            raise WorkerError(f"{self._use}: {told[0] if told else error}") from error
        try:
            answer = self._ask(request, limit)
        except WorkerDied:
            answer = self._ask(request, limit)
        if "raised" in answer:
            raise PluginRaised(answer["raised"])
        return [Score(value=value, info=info, error=error) for value, info, error in answer["scores"]]

    def _ask(self, request: bytes | None, limit: float) -> dict[str, Any]:
        """The answer of one process; without a request, only have one that is ready."""
        with self._lock:
            self._refuse_if_over()
            child = self._free.pop() if self._free else None
        try:
            child = child or self._hire()
            child.get_ready()
            answer = child.ask(request, limit) if request else {}
        except WorkerError as error:
            self._note(error)
            raise
        finally:
            if child is not None:
                self._release(child)
        self._deaths = 0
        return answer

    def _hire(self) -> "_Child":
        child = self._start()
        with self._lock:
            self._children.add(child)
            if self._ended:
                self._ended -= 1
                self.restarts += 1
            if self._closed:
                child.kill()
        return child

    def _release(self, child: "_Child") -> None:
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
                self._refuse_if_over()
            if isinstance(error, WorkerStartError):
                self._over = (WorkerStartError, str(error))
            elif isinstance(error, WorkerDied):
                self._deaths += 1
                if self._deaths >= DEATHS_IN_A_ROW:
                    why = f"gave up after {self._deaths} deaths in a row; the last: {error}"
                    self._over = (WorkerDied, why)

    def _refuse_if_over(self) -> None:
        if self._over is not None:
            kind, why = self._over
            raise kind(why)


class _Child:
    """One process, used by one thread at a time; `kill` is for any thread."""

    def __init__(self, use: str, command: list[str], threads: int, hello: bytes):
        self.ended = False
        self._use, self._hello = use, hello
        self._ready = False
        self._cpu = self._cpu_since = (
            0.0  # seconds that the process said it used, and that it used after that
        )
        self._received, self._tail = bytearray(), b""
        self._ending = threading.Lock()
        self._fate = ""
        limits = dict.fromkeys(THREAD_LIMITS, str(threads)) | {"TOKENIZERS_PARALLELISM": "false"}
        try:
            # A session of its own: an interrupt at the terminal is the host's, and its helpers end with it.
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=os.environ | limits,
                start_new_session=True,
            )
        except OSError as error:
            raise WorkerStartError(f"{use}: no worker can be started: {error}") from error
        process = self._process
        self._pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None]
        self._requests, self._answers, self._stderr = (pipe.fileno() for pipe in self._pipes)
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)

    def get_ready(self) -> None:
        """Have the reward built, at the first call. When this raises, the process has been ended."""
        if self._ready:
            return
        try:
            answer = self._greet(time.monotonic() + START_LIMIT)
        except TimeoutError:
            answer = {"failed": f"not ready within {START_LIMIT:g} s"}
        if "failed" in answer:
            self.end()
            raise WorkerStartError(f"{self._use} cannot be built: {answer['failed']}{self._last_lines()}")
        self._cpu = answer["cpu"]
        self._ready = True

    def _greet(self, deadline: float) -> dict[str, Any]:
        with self._ended_by_failure():
            line = self._exchange(self._hello, deadline)
            while not line.startswith(worker_process.MARK):  # the interpreter's start-up may print
                self._tail += line + b"\n"
                line = self._exchange(b"", deadline)
            return json.loads(line)

    def ask(self, request: bytes, limit: float) -> dict[str, Any]:
        """The answer to one request. When this raises, the process has been ended."""
        try:
            with self._ended_by_failure():
                answer = json.loads(self._exchange(request, time.monotonic() + limit))
        except TimeoutError:
            text = f"no score within {limit:g} s; the worker used {self._cpu_since:.1f} s of processor time"
            raise WorkerTimeout(text, cpu_bound=self._cpu_since >= limit / 2) from None
        self._cpu = answer["cpu"]
        return answer

    @contextlib.contextmanager
    def _ended_by_failure(self) -> Iterator[None]:
        try:
            yield
        except EOFError:
            self.end()
            raise WorkerDied(f"{self._use}: the worker died ({self._fate}){self._last_lines()}") from None
        except BaseException:
            self.end()
            raise

    def _exchange(self, request: bytes, deadline: float) -> bytes:
        """Write the request and read a line of answer, in step: neither side waits for the other to read."""
        rest = memoryview(request)
        if rest:
            self._poll.register(self._requests, select.POLLOUT)
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            ready = {place for place, _ in self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000)}
            if self._stderr in ready and not self._read_stderr():
                self._poll.unregister(self._stderr)
            if self._requests in ready:
                rest = self._write(rest)
            if self._answers in ready:
                self._received += self._read_answer(deadline)
            elif time.monotonic() >= deadline:
                raise TimeoutError
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def _write(self, rest: memoryview) -> memoryview:
        try:
            rest = rest[os.write(self._requests, rest) :]
        except BrokenPipeError:
            raise EOFError from None
        if not rest:
            self._poll.unregister(self._requests)
        return rest

    def _read_answer(self, deadline: float) -> bytes:
        chunk = os.read(self._answers, CHUNK)
        if not chunk:
            raise TimeoutError if time.monotonic() >= deadline else EOFError
        return chunk

    def _read_stderr(self) -> bool:
        """Whether there may be more."""
        chunk = os.read(self._stderr, CHUNK)
        self._tail = (self._tail + chunk)[-TAIL_BYTES:]
        return bool(chunk)

    def kill(self) -> None:
        """Kill the process and its helpers, by its id; `end` is still to come, from who uses the process."""
        if self._ending.acquire(blocking=False):  # else `end` is at it
            try:
                self._kill()
            finally:
                self._ending.release()

    def _kill(self) -> None:
        if self._process.returncode is None:  # not waited for, so that the id cannot be another's yet
            with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS says so of a zombie
                os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill and reap the process and let go of its pipes."""
        with self._ending:
            if self.ended:
                return
            self._kill()
            try:
                _, status, usage = os.wait4(self._process.pid, 0)
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self._fate = _exit_in_words(self._process.returncode)
                self._cpu_since = usage.ru_utime + usage.ru_stime - self._cpu
            except ChildProcessError:  # a host that ignores SIGCHLD never learns how its children end
                self._process.returncode, self._fate = 0, "nobody knows how: SIGCHLD is ignored"
            with contextlib.suppress(BlockingIOError):
                for _ in range(TAIL_CHUNKS):
                    self._read_stderr()
            for pipe in self._pipes:
                pipe.close()
            self.ended = True

    def _last_lines(self) -> str:
        lines = self._tail.decode(errors="replace").splitlines()[-TAIL_LINES:]
        return "\n  ".join(["; its last lines:", *lines]) if lines else ""


def _request(items: Sequence[Item]) -> dict[str, Any]:
    places: dict[int, int] = {}
    samples: list[dict[str, Any]] = []
    completions: list[tuple[int, dict[str, Any]]] = []
    for sample, completion in items:  # a group's completions share their sample, which may be long
        place = places.setdefault(id(sample), len(samples))
        if place == len(samples):
            samples.append(
                {
                    "id": sample.id,
                    "prompt": [dict(message) for message in sample.prompt],
                    "fields": dict(sample.fields),
                    "source": sample.source,
                }
            )
        text, count = completion.text, completion.token_count
        completions.append((place, {"text": text, "token_count": count, "truncated": completion.truncated}))
    return {"samples": samples, "completions": completions}


def _exit_in_words(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"  # ASCII, so that lone surrogates and separators survive
