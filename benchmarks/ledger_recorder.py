"""What one process needs to keep the ledger of all scorers: CPU a group and a row, bytes a second, share of a step.

    python benchmarks/ledger_recorder.py                    # an environment with ray and rewardlab-ray; no GPU
    python benchmarks/ledger_recorder.py --groups 2048 --size 8 --bytes 8000

Groups are finished lines of the ledger, as scorers hand them on. Measured is CPU of the whole process that keeps it:

    append       the blocks are put together and written, and a fact of each is in the journal
    fsync        the same, and the disk has each group before the next one comes
    repeat       a group that is there is asked for its rewards, as after a restart of a scorer
    reopen       the ledger is opened again with all of these groups, as after a restart of the coordinator
    by Ray       the same as append in an actor, which gets the blocks of another process

A step of 1,024 GPUs has 16,384 completions of some 8 kB, and decodes them in 62 s (scale.py).
"""

import os
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

STEP, DECODE_S = 16_384, 62
"""completions of a step at 1,024 GPUs, and seconds of its decoding"""
AT_ONCE = 64
"""groups that scorers have under way"""


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=2048)
    parser.add_argument("--size", type=int, default=8, help="completions of a group")
    parser.add_argument("--bytes", type=int, default=8000, help="of a completion")
    options = parser.parse_args()
    print(f"{options.groups} groups of {options.size}, {options.bytes} bytes a completion")
    with TemporaryDirectory(prefix="rl_", dir="/tmp") as folder:  # Ray's socket paths may not be long
        for name, cpu, wall in measured(options, Path(folder)):
            completions = options.groups * options.size
            rate = completions * options.bytes / 1e6 / wall
            told = f"{1000 * cpu / options.groups:.3f} ms CPU a group, {1000 * cpu / completions:.4f} a row"
            share = cpu / completions * STEP / DECODE_S
            print(f"  {name:<8} {told}; {rate:.0f} MB a second; {share:.2%} of a step's decoding")
    print(f"  load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def measured(options: Namespace, folder: Path) -> Iterator[tuple[str, float, float]]:
    """Yield (what, CPU seconds, seconds) of all groups."""
    groups = [finished(options, number) for number in range(options.groups)]

    def append(name: str, sync: bool = False) -> Callable[[], None]:
        recorded = recorded_groups(folder / name)

        def work() -> None:
            for number, group in enumerate(groups):
                add(recorded, number, group)
                if sync:
                    os.fsync(recorded._ledger._file._file)
            recorded.close()

        return work

    yield "append", *timed(append("append"))
    again = recorded_groups(folder / "append")
    yield "repeat", *timed(lambda: [again.rewards(f"g{number}") for number in range(options.groups)])
    yield "reopen", *timed(lambda: [*recorded_groups(folder / "append").earlier()])
    yield "fsync", *timed(append("fsync", sync=True))
    yield "by Ray", *by_ray(options, folder / "ray")


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def finished(options: Namespace, number: int) -> Any:
    from rewardlab import Completion, Sample, Score
    from rewardlab.scoring import ScoredGroup, numbers_of_group
    from rewardlab_ray.messages import FinishedGroup
    from rewardlab_ray.scoring.rewards import rewards
    from rewardlab_training import ledger_lines

    values = [0.1 * index for index in range(options.size)]
    group = ScoredGroup(
        sample=Sample(id=f"s{number}", prompt=({"role": "user", "content": "How much?"},)),
        completions=[Completion(text="word " * (options.bytes // 5), token_count=2000) for _ in values],
        components={name: [Score(value=value) for value in values] for name in ("accuracy", "format", "preference")},
        totals=values,
        shaped=values,
    )
    given = rewards(group, range(options.size), "accuracy", options.size, "grpo")
    return FinishedGroup(lines=ledger_lines(group), numbers=numbers_of_group(group, "accuracy"), rewards=given)


def recorded_groups(run: Path) -> Any:
    from rewardlab_ray.scoring.recorded_groups import RecordedGroups
    from rewardlab_ray.scoring.service_settings import ServiceSettings

    folder = run / "engine" / "0-rl"
    folder.mkdir(parents=True, exist_ok=True)
    stage = {"job": "bench", "run": run, "recipe": run / "r.yaml", "stage": 0, "attempt": 0}
    return RecordedGroups(ServiceSettings(**stage, folder=folder, home=run), ())


def add(recorded: Any, number: int, group: Any) -> None:
    from rewardlab_ray.messages import GroupPlace

    size = len(group.lines)
    place = GroupPlace(key=f"g{number}", row=0, evaluation=False, step=1, size=size, position=number)
    recorded.add(place, group, 1, "yes", "training")


class Recorder:
    """The process that keeps the ledger."""

    def __init__(self, run: Path) -> None:
        self._recorded = recorded_groups(run)
        self._number = 0

    async def record(self, group: Any) -> None:
        add(self._recorded, self._number, group)
        self._number += 1

    async def cpu(self) -> float:
        return time.process_time()


def by_ray(options: Namespace, folder: Path) -> tuple[float, float]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=str(folder))
    try:
        recorder = ray.remote(Recorder).options(num_cpus=0, max_concurrency=1000).remote(folder / "run")
        ray.get([recorder.record.remote(finished(options, number)) for number in range(4)])
        before, start, under_way = ray.get(recorder.cpu.remote()), time.perf_counter(), []
        for number in range(options.groups):
            under_way.append(recorder.record.remote(finished(options, number)))
            if len(under_way) >= AT_ONCE:
                ray.get(under_way.pop(0))
        ray.get(under_way)
        return ray.get(recorder.cpu.remote()) - before, time.perf_counter() - start
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
