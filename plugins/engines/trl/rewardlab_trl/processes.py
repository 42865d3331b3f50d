"""The processes that train a stage together, each with a copy of the model and a share of every batch.

This process is the first: it starts the others of its machine and ends them, and it alone scores, writes and evaluates.
On one machine nothing has to be started by hand, and no port is open beyond it.
"""

import json
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from rewardlab.errors import JobError, RewardlabError, one_line
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab_training import StageJob, Training

from rewardlab_trl.children import MAX_NOTICE_S, Children
from rewardlab_trl.machines import LOST, STAGE, Machines
from rewardlab_trl.options import options_of
from rewardlab_trl.sharding import launch_variables

T = TypeVar("T")
MAX_STEP = timedelta(minutes=30)
"""how long a process waits for another within a step"""
MAX_WAIT = timedelta(days=30)
"""how long the others wait for the first, which may evaluate, or wait for a judge"""
ALONE = Machines(1)
GONE = "another machine's process has ended, or the connection to it: see logs/ in the run directory"


@dataclass(frozen=True)
class SharedTraining:
    """The training that the first process hands to the others, by a file: all but what it keeps to itself."""

    run: Path
    index: int
    source: str
    training: Training


@dataclass(frozen=True)
class Processes:
    """The processes of a stage as one of them sees them, `number` of `count`; alone there is nothing to wait for.

    All of them must call each method, in the same order.
    """

    number: int = 0
    count: int = 1
    machines: Machines = ALONE
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

    def from_first(self, make: Callable[[], T], help: Callable[..., object] | None = None) -> T:
        """Return in each process what `make` gives in the first, where alone it is called.

        Args:
            help: what the others do whenever `make` calls `ask`, with its arguments.
        """
        if self.count == 1:
            return make()
        if self.is_first:
            value = make()
            self._say((None, value))
            return value
        while (message := self._hear())[0] is not None:
            assert help is not None
            help(*message[0])
        answer: T = message[1]
        return answer

    def ask(self, *work: Any) -> None:
        """Let the others help the first with this, which does it at the same time."""
        self._say((work, None))

    def _say(self, message: Any) -> None:
        import torch.distributed as dist

        dist.broadcast_object_list([message], src=0, group=self.group)

    def _hear(self) -> Any:
        import torch.distributed as dist

        message = [None]
        dist.broadcast_object_list(message, src=0, group=self.group)
        return message[0]

    def share(self, values: Sequence[T]) -> Sequence[T]:
        """Return this process's part of a value for each completion of all of them."""
        size = len(values) // self.count
        return values[self.number * size :][:size]

    @contextmanager
    def seen_by_libraries(self) -> Iterator[None]:
        """Let trainers that are made in this block find the processes, as torchrun would tell them.

        Not longer: a reward's own process must not take itself for one of them.
        """
        wanted = {**self.machines.variables(self.number), **self.sharding} if self.count > 1 else {}
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
def together(training: Training, source: str, device: str) -> Iterator[Processes]:
    """Train in this block with all processes of the recipe, of which this is the first.

    The others load the model in `source`. Raises JobError if one of them ends before the block does; none of this
    machine outlives it, or this process.
    """
    job = training.job
    machines = Machines.of(options_of(job.plan))
    count = machines.processes
    if count == 1:
        yield Processes()
        return
    seen_by_all = job.run.folder("processes") if machines.count > 1 else None
    with TemporaryDirectory(prefix="rewardlab-", dir=seen_by_all) as name, ExitStack() as stack:
        folder = Path(name).absolute()
        kept: dict[str, Any] = dict.fromkeys(("job", "reward", "log", "after_step"))
        shared = SharedTraining(job.run.path.absolute(), job.index, _anywhere(source), replace(training, **kept))
        (folder / "training.pickle").write_bytes(pickle.dumps(shared))
        store = machines.meeting(folder, 0)
        if machines.count > 1:
            _call(job, machines, store, folder)
        children = Children(job.name, job.run.folder("logs"), folder, machines.numbers(0)[1:], machines)
        stack.callback(children.end)
        children.wait_until(lambda: _all_ready(folder, count))
        try:
            with Processes(0, count, machines).seen_by_libraries():
                processes = stack.enter_context(joined(folder, 0, machines, device, store))
            if device == "cuda":
                children.watch()
            yield replace(processes, sharding=launch_variables(options_of(job.plan)))
        except Exception as error:
            # a broken connection is noticed here before its other end is gone
            if lost := children.lost(0 if isinstance(error, RewardlabError) else MAX_NOTICE_S):
                raise lost from error
            _all_ready(folder, count)  # after the pause above: by then another machine has said what it lost
            if machines.count > 1 and isinstance(error, RuntimeError) and "gloo" in str(error):
                raise JobError(f"stage {job.name}: {GONE} ({one_line(error, 200)})") from error
            raise
        children.wait()


def _all_ready(folder: Path, count: int) -> bool:
    """Return whether all other processes have loaded the model. JobError if another machine has lost one."""
    if (lost := folder / LOST).exists():
        raise JobError(lost.read_text(encoding="utf-8"))
    return all((folder / f"ready-{number}").exists() for number in range(1, count))


def _anywhere(source: str) -> str:
    """Return a model's folder as every process of the stage finds it, or its name on the hub."""
    return str(Path(source).absolute()) if Path(source).is_dir() else source


def _call(job: StageJob, machines: Machines, store: Any, folder: Path) -> None:
    """Tell the other machines what to start."""
    stages = job.plan.recipe.stages
    last = max(index for index, stage in enumerate(stages) if isinstance(stage, SftStage | DpoStage | RlStage))
    logs = str(job.run.folder("logs").absolute())
    store.set(STAGE, json.dumps({"folder": str(folder), "stage": job.name, "logs": logs, "last": job.index == last}))
    others = "machine 1" if machines.count == 2 else f"machines 1 to {machines.count - 1}"
    job.say(f"stage {job.name}: waiting for {others} (rewardlab join RECIPE --machine-rank N)")


@contextmanager
def joined(folder: Path, number: int, machines: Machines, device: str, store: Any) -> Iterator[Processes]:
    """Join the processes that meet in `folder`, as process `number`; wait for all of them."""
    import torch
    import torch.distributed as dist
    from accelerate.state import AcceleratorState

    if device == "cuda":
        torch.cuda.set_device(number % machines.each)
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // machines.each))
    (folder / f"ready-{number}").touch()
    count = machines.processes
    kind = "nccl" if device == "cuda" else "gloo"
    dist.init_process_group(kind, store=store, rank=number, world_size=count, timeout=MAX_STEP)
    try:
        yield Processes(number, count, machines, dist.new_group(backend="gloo", timeout=MAX_WAIT))
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
        AcceleratorState._reset_state(reset_partial_state=True)  # a later stage may be of one process
        torch.set_num_threads(threads)
