"""The host's side of one worker process: its command and messages, its pipes, its deadlines, its death."""

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rewardlab.files import parse_json
from rewardlab.workers import worker_main
from rewardlab.workers.errors import WorkerDiedError, WorkerMemoryError, WorkerStartError, WorkerTimeout, shortened
from rewardlab.workers.memory import GB, RETURN_FREED_MEMORY, memory_taken
from rewardlab.workers.output import TAIL_BYTES, last_lines

START_LIMIT = 300.0  # seconds for a process to import and build its reward, which may load a model
CHUNK, TAIL_CHUNKS = 1 << 16, 16
MAX_POLL_S = 1e6  # poll counts milliseconds in 32 bits
MAX_ANSWER_BYTES = 1 << 28
"""the longest line of an answer; a longer one, like one that is none, ends the process"""
MEMORY_POLL_S = 0.1
"""seconds between two looks at the memory of a process that has a limit"""
Show = Callable[[bytes], bool]
"""A function that shows a chunk of a process's output to the user, and returns whether it did."""
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


class _NoAnswerError(Exception):
    """A line that is not an answer to what was asked: something else in the process writes to our pipe."""


def _checked(line: bytes, fits: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
    """Return the answer in a line. _NoAnswerError if it holds none, or none that fits."""
    try:
        answer = parse_json(line)
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or not isinstance(answer.get("cpu", 0.0), float | int) or not fits(answer):
        raise _NoAnswerError("it wrote a line that is not an answer to what it was asked")
    return answer


def host_sys_path() -> list[str]:
    """Return this process's sys.path as another one can take it over."""
    return [str(place) or os.getcwd() for place in sys.path]


def message_line(message: dict[str, Any]) -> bytes:
    """Return a message as the pipes carry it: in ASCII, so that lone surrogates and separators survive."""
    return json.dumps(message).encode() + b"\n"


_OPEN: "weakref.WeakSet[WorkerProcess]" = weakref.WeakSet()


def _leave_to_parent() -> None:
    """Close the pipes in a fork of the host: while it holds them, no worker learns that the host has ended."""
    for process in list(_OPEN):
        process.leave()


os.register_at_fork(after_in_child=_leave_to_parent)


class WorkerProcess:
    """A worker process, used by one thread at a time; only `kill` may be called from any thread.

    hello: what the process builds, without its path and limit (see worker_main). show: called with each chunk that the
    process prints, but for those of its end; returns whether the user saw it. python: the interpreter of another
    environment; None is the host's, whose sys.path goes with it. threads: math threads of the process. start_limit:
    seconds to build what it answers with. memory: RETURN_FREED_MEMORY or KEEP_FREED_MEMORY. growth_limit: GB that a
    call may add to what the process takes; None: no limit. variables: further environment variables.
    """

    def __init__(
        self,
        use: str,
        hello: Mapping[str, Any],
        show: Show = lambda chunk: False,
        *,
        python: str | None = None,
        threads: int = 1,
        start_limit: float = START_LIMIT,
        memory: Mapping[str, str] = RETURN_FREED_MEMORY,
        growth_limit: float | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.ended = self.ready = False
        self._use, self._show, self._start_limit = use, show, start_limit
        path = host_sys_path() if python is None else None
        self._hello = message_line({"path": path, **hello, "limit": start_limit})
        self._growth_limit, self._most_memory = growth_limit, math.inf
        self._number = 0  # of the last request
        self._cpu = self._cpu_since = 0.0  # seconds that the process said it used, and that it used after that
        self._received, self._tail, self._unseen = bytearray(), b"", b""
        self._ending = threading.Lock()
        self._fate, self._dying = "", False
        limits = dict.fromkeys(THREAD_LIMITS, str(threads)) | {"TOKENIZERS_PARALLELISM": "false"} | dict(memory)
        command = [sys.executable, "-P"] if python is None else [python, "-I"]
        try:
            # A session of its own: an interrupt at the terminal is the host's, and its helpers end with it.
            self._process = subprocess.Popen(
                [*command, worker_main.__file__],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=os.environ | limits | dict(variables or {}),
                start_new_session=True,
            )
        except OSError as error:
            raise WorkerStartError(f"{use}: no worker can be started: {error}") from error
        process = self._process
        _OPEN.add(self)
        self._pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None]
        self._requests, self._answers, self._stderr = (pipe.fileno() for pipe in self._pipes)
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)

    def get_ready(self) -> None:
        """Have the process build its reward or worker file, at the first call; later calls do nothing.

        WorkerStartError if it cannot be built. When this raises, the process has been ended.
        """
        if self.ready:
            return
        try:
            answer = self._greet(time.monotonic() + self._start_limit)
        except TimeoutError:
            answer = {"failed": f"not ready within {self._start_limit:g} s"}
        if "failed" in answer:
            self.end()
            raise WorkerStartError(
                f"{self._use} cannot be built: {shortened(answer['failed'])}{last_lines(self._tail)}"
            )
        self._cpu = answer["cpu"]
        self.ready = True

    def _greet(self, deadline: float) -> dict[str, Any]:
        with self._ended_by_failure():
            line = self._exchange(self._hello, deadline)
            while not line.startswith(worker_main.MARK):  # the interpreter's start-up may print
                self._keep(line + b"\n")
                line = self._exchange(b"", deadline)
            return _checked(line, lambda answer: "failed" in answer or "cpu" in answer)

    def ask(self, request: bytes, limit: float) -> dict[str, Any]:
        """Return the answer to one request, within `limit` seconds.

        request: a JSON object, without its number. Raises WorkerTimeout, WorkerMemoryError or WorkerDiedError, also
        where the line that came is not the answer to this request. When this raises, the process has been ended.
        """
        self._number += 1
        numbered = b'{"number": %d, %s' % (self._number, request[1:])
        if self._growth_limit is not None:
            self._most_memory = memory_taken(self._process.pid) + self._growth_limit * GB
        try:
            with self._ended_by_failure():
                line = self._exchange(numbered, time.monotonic() + limit)
                answer = _checked(line, self._is_answer)
        except TimeoutError:
            busy = self._cpu_since >= limit / 2
            why = "the worker was computing" if busy else "the worker was waiting, or starved of processor time"
            raise WorkerTimeout(f"no score within {limit:g} s; {why}", cpu_bound=busy) from None
        self._cpu = answer["cpu"]
        return answer

    def _is_answer(self, answer: Mapping[str, Any]) -> bool:
        lists = isinstance(answer.get("scores", answer.get("answers")), list)
        return answer.get("number") == self._number and (lists or isinstance(answer.get("raised"), str))

    @contextlib.contextmanager
    def _ended_by_failure(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, _NoAnswerError) as error:
            self._dying = True
            self.end()
            self._fate = str(error) or self._fate
            died = f"{self._use}: the worker died ({self._fate})"
            unseen = f"{died}{last_lines(self._unseen)}"
            raise WorkerDiedError(f"{died}{last_lines(self._tail)}", fate=self._fate, unseen=unseen) from None
        except BaseException:
            self.end()
            raise

    def _exchange(self, request: bytes, deadline: float) -> bytes:
        """Write the request and read a line of answer, in step: neither side waits for the other to read."""
        rest = memoryview(request)
        if rest:
            self._poll.register(self._requests, select.POLLOUT)
        searched, looked = 0, time.monotonic()
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            longest = MAX_POLL_S if self._most_memory == math.inf else MEMORY_POLL_S
            wait = min(max(0.0, deadline - time.monotonic()), longest) * 1000
            ready = {place for place, _ in self._poll.poll(wait)}
            if self._stderr in ready and not self._read_stderr():
                self._poll.unregister(self._stderr)
            if self._requests in ready:
                rest = self._write(rest)
            if self._answers in ready:
                self._received += self._read_answer(deadline)
                if len(self._received) > MAX_ANSWER_BYTES:
                    raise _NoAnswerError(f"it wrote a line of more than {MAX_ANSWER_BYTES:,} bytes")
            elif time.monotonic() >= deadline:
                raise TimeoutError
            if time.monotonic() - looked >= longest:
                looked = time.monotonic()
                if memory_taken(self._process.pid) > self._most_memory:
                    limit = f"{self._growth_limit:g} GB, `memory` in the recipe"
                    raise WorkerMemoryError(f"it took more memory than its worker may ({limit})")
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
        """Read a chunk of stderr into the tail; return whether there may be more."""
        chunk = os.read(self._stderr, CHUNK)
        self._keep(chunk)
        return bool(chunk)

    def _keep(self, chunk: bytes) -> None:
        self._tail = (self._tail + chunk)[-TAIL_BYTES:]
        if self._dying or not self._show(chunk):
            self._unseen = (self._unseen + chunk)[-TAIL_BYTES:]

    def leave(self) -> None:
        """Close the pipes without a word to the process, which is another host's."""
        for pipe in self._pipes:
            pipe.close()
        self._process.returncode, self.ended = 0, True

    def kill(self) -> None:
        """Kill the process and its helpers, from any thread; the thread that uses the process still has to `end` it."""
        if self._ending.acquire(blocking=False):  # else `end` is killing it already
            try:
                self._kill()
            finally:
                self._ending.release()

    def _kill(self) -> None:
        if self._process.returncode is None:  # not waited for, so that the id cannot be another's yet
            helpers = worker_main.helpers_of(self._process.pid)  # before they lose the parent by which they are found
            with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS raises the latter for a zombie
                os.killpg(self._process.pid, signal.SIGKILL)
            worker_main.kill_all(helpers)

    def end(self) -> None:
        """Kill and reap the process and close its pipes; ending it again does nothing."""
        with self._ending:
            if self.ended:
                return
            self._kill()
            try:
                _, status, usage = os.wait4(self._process.pid, 0)
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self._fate = _describe_exit(self._process.returncode)
                self._cpu_since = usage.ru_utime + usage.ru_stime - self._cpu
            except ChildProcessError:  # a host that ignores SIGCHLD never learns how its children end
                self._process.returncode, self._fate = 0, "the cause is unknown, since SIGCHLD is ignored"
            with contextlib.suppress(BlockingIOError):
                for _ in range(TAIL_CHUNKS):
                    self._read_stderr()
            if self._tail and not self._dying:
                self._show(b"\n")  # the end of a line that nothing ended
            for pipe in self._pipes:
                pipe.close()
            self.ended = True


def _describe_exit(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"
