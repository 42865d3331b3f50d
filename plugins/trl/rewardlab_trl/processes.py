"""The processes that train a stage together, each with a copy of the model and a share of every batch.

This process is the first: it starts the others and ends them, and it alone scores, writes and evaluates. Nothing has to
be started by hand, and no port is open beyond this machine: they find each other by a file.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from rewardlab.errors import JobError, RewardlabError
from rewardlab.training import StageJob, Training

from rewardlab_trl.options import options_of
from rewardlab_trl.sharding import launch_variables

T = TypeVar("T")
MAX_STEP = timedelta(minutes=30)
"""how long a process waits for another within a step"""
MAX_WAIT = timedelta(days=30)
"""how long the others wait for the first, which may evaluate, or wait for a judge"""
MAX_END_S = 60.0
"""how long the others may take to end once the stage is trained"""
MAX_NOTICE_S = 5.0
"""how long after a broken connection the process at its other end is looked at: it ends a little later"""


@dataclass(frozen=True)
class SharedTraining:
    """What the first process hands to the others, by a file: of the training all but what the first keeps to itself."""

    run: Path
    index: int
    source: str
    count: int
    training: Training


@dataclass(frozen=True)
class Processes:
    """The processes of a stage as one of them sees them, `number` of `count`; alone there is nothing to wait for.

    All of them must call each method, in the same order.
    """

    number: int = 0
    count: int = 1
    group: Any = None
    sharding: Mapping[str, str] = field(default_factory=dict)
    """the variables that tell accelerate how they share the model; none if each has the whole one"""

    @property
    def is_first(self) -> bool:
        """Whether this process scores, writes and evaluates."""
        return self.number == 0

    def gathered(self, part: T) -> list[T]:
        """Return the parts of all processes in their order to the first, and nothing to the others."""
        if self.count == 1:
            return [part]
        import torch.distributed as dist

        parts: list[Any] | None = [None] * self.count if self.is_first else None
        dist.gather_object(part, parts, dst=0, group=self.group)
        return parts or []

    def told(self, make: Callable[[], T], help: Callable[..., object] | None = None) -> T:
        """Return in each process what `make` gives in the first, where alone it is called.

        help: what the others do whenever `make` calls `ask`, with its arguments.
        """
        if self.count == 1:
            return make()
        if self.is_first:
            value = make()
            self._say((None, value))
            return value
        while (said := self._hear())[0] is not None:
            assert help is not None
            help(*said[0])
        found: T = said[1]
        return found

    def ask(self, *work: Any) -> None:
        """Let the others help the first with this, which does it at the same time."""
        self._say((work, None))

    def _say(self, said: Any) -> None:
        import torch.distributed as dist

        dist.broadcast_object_list([said], src=0, group=self.group)

    def _hear(self) -> Any:
        import torch.distributed as dist

        said = [None]
        dist.broadcast_object_list(said, src=0, group=self.group)
        return said[0]

    def share(self, values: Sequence[T]) -> Sequence[T]:
        """Return this process's part of a value for each completion of all of them."""
        size = len(values) // self.count
        return values[self.number * size :][:size]

    @contextmanager
    def seen_by_libraries(self) -> Iterator[None]:
        """Let trainers that are made in this block find the processes, as torchrun would tell them.

        Not longer: a reward's own process must not take itself for one of them.
        """
        wanted = {**_variables(self.number, self.count), **self.sharding} if self.count > 1 else {}
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


@contextmanager
def together(training: Training, source: str, count: int, device: str) -> Iterator[Processes]:
    """Train with `count` processes in this block, of which this is the first; the others load the model in `source`.

    Raises JobError if one of them ends before the block does; none outlives it, or this process.
    """
    if count == 1:
        yield Processes()
        return
    job = training.job
    with TemporaryDirectory(prefix="rewardlab-") as name, ExitStack() as stack:
        folder = Path(name)
        kept: dict[str, Any] = dict.fromkeys(("job", "reward", "log", "after_step"))
        shared = SharedTraining(job.run.path.absolute(), job.index, source, count, replace(training, **kept))
        (folder / "training.pickle").write_bytes(pickle.dumps(shared))
        others = _Others(job, folder, count)
        stack.callback(others.end)
        others.wait_until_ready()
        try:
            with Processes(0, count).seen_by_libraries():
                processes = stack.enter_context(joined(folder, 0, count, device))
            processes = replace(processes, sharding=launch_variables(options_of(job.plan)))
            if device == "cuda":
                others.watch()
            yield processes
        except Exception as error:
            # a broken connection is noticed here before its other end is gone
            if lost := others.lost(0 if isinstance(error, RewardlabError) else MAX_NOTICE_S):
                raise lost from error
            raise
        others.wait()


@contextmanager
def joined(folder: Path, number: int, count: int, device: str) -> Iterator[Processes]:
    """Join the processes that meet in `folder`, as process `number`; wait for all of them."""
    import torch
    import torch.distributed as dist
    from accelerate.state import AcceleratorState

    if device == "cuda":
        torch.cuda.set_device(number)
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // count))
    (folder / f"ready-{number}").touch()
    store = dist.FileStore(str(folder / "meeting"), count)
    kind = "nccl" if device == "cuda" else "gloo"
    dist.init_process_group(kind, store=store, rank=number, world_size=count, timeout=MAX_STEP)
    try:
        yield Processes(number, count, dist.new_group(backend="gloo", timeout=MAX_WAIT))
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
        AcceleratorState._reset_state(reset_partial_state=True)  # a later stage may be of one process
        torch.set_num_threads(threads)


def _variables(number: int, count: int) -> Mapping[str, str]:
    """Return the variables by which torchrun tells a process which one it is."""
    threads = str(max(1, (os.cpu_count() or 1) // count))
    loopback = "lo0" if sys.platform == "darwin" else "lo"
    return {
        "RANK": str(number),
        "LOCAL_RANK": str(number),
        "WORLD_SIZE": str(count),
        "LOCAL_WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "29500",  # accelerate wants one; they have met already
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", threads),
        "GLOO_SOCKET_IFNAME": os.environ.get("GLOO_SOCKET_IFNAME", loopback),
    }


class _Others:
    """The other processes: Ctrl-C does not reach them, and they end when this one does, however it ends."""

    def __init__(self, job: StageJob, folder: Path, count: int) -> None:
        self._stage, self._folder, self._count, self._over = job.name, folder, count, threading.Event()
        self._logs = [job.run.folder("logs") / f"{job.name}.process-{number}.log" for number in range(1, count)]
        path = {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
        self._started: list[subprocess.Popen[bytes]] = []
        for number, log in enumerate(self._logs, 1):
            command = [sys.executable, "-m", "rewardlab_trl.other_process", str(folder), str(number)]
            with log.open("wb") as file:
                self._started.append(
                    subprocess.Popen(
                        command,
                        stdin=subprocess.PIPE,
                        stdout=file,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                        env={**os.environ, **path, **_variables(number, count)},
                    )
                )

    def wait_until_ready(self) -> None:
        """Wait until all have loaded the model. JobError if one ends before."""
        while not all((self._folder / f"ready-{number}").exists() for number in range(1, self._count)):
            if lost := self.lost():
                raise lost
            time.sleep(0.05)

    def lost(self, within_s: float = 0.0) -> JobError | None:
        """Return the error that one of them has ended, or ends within some seconds; else None."""
        until = time.monotonic() + within_s
        while not (ended := [one for one in self._started if one.poll() is not None]):
            if time.monotonic() >= until:
                return None
            time.sleep(0.05)
        first = min(ended, key=lambda one: one.returncode)  # who was killed comes before who then missed it
        number = self._started.index(first) + 1
        code = first.returncode
        fate = f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"
        log = self._logs[number - 1]
        said = log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        last = f"; it said last: {said}" if said else ""
        return JobError(
            f"stage {self._stage}: process {number} (of {self._count}, from 0) ended with {fate} ({log}){last}"
        )

    def watch(self) -> None:
        """Let this process notice that another has ended while it waits for a GPU, which NCCL alone would not."""
        threading.Thread(target=self._watch, name="rewardlab-processes", daemon=True).start()

    def _watch(self) -> None:
        from torch.distributed import distributed_c10d

        while not self._over.wait(1.0):
            if self.lost():
                distributed_c10d._abort_process_group()
                return

    def wait(self) -> None:
        """Wait until all have ended by themselves, after the stage's last step."""
        self._over.set()
        until = time.monotonic() + MAX_END_S
        for one in self._started:
            try:
                one.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                return

    def end(self) -> None:
        """End those that are left."""
        self._over.set()
        for one in self._started:
            if one.poll() is None:
                one.kill()
            one.wait()
            assert one.stdin is not None
            one.stdin.close()
