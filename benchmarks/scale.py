"""What saturates first in an OpenRLHF job of 1,000 GPUs: a simulation of its processes from measured costs.

    python benchmarks/scale.py                      # measures first; all of it where openrlhf is installed
    python benchmarks/scale.py --recorded           # with the costs of scale_costs.py as they were last measured
    python benchmarks/scale.py --judges coordinator --ledger whole --gpus 512

A discrete-event simulation of an asynchronous job in its steady state: rollout engines decode completions of random
lengths and never wait for prompts while there are groups to begin; each completion passes its engine's executor and a
scorer, whose rewards ask a judge; a whole group is recorded by the coordinator and goes through OpenRLHF's own two
processes, the one that collects samples and the one that makes experience of them and hands it to the ranks. A process
is a queue with one CPU. Ranks and judge servers are assumed to keep up, and OpenRLHF's trainer process to take the next
group while they work: what is found here is a bound. In truth that process works, and then waits for the ranks:
scale_steps.py has a step's phases one after the other.

    --judges  coordinator: every question passes it. leases: scorers ask, and report at the end of each group and, here,
              as often between as the coordinator lets them
    --ledger  whole: groups travel to the coordinator, which writes them. shards: scorers write, it gets numbers

rewardlab has leases and shards. Without either option it is compared with what it did before. A process is saturated
where it is busy for 95% of the time. The fewest GPUs are looked for where one is; then that one is given all the CPUs
that it wants, and the next one is looked for.
"""

import math
import os
import random
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field
from heapq import heappop, heappush, heapreplace
from itertools import count
from typing import Any

from rewardlab.judging.leases.judge_lender import REPORT_COST_S, SHORTEST_PAUSE_S
from scale_costs import Costs, measured

SATURATED = 0.95
"""share of its time that a process is busy"""
LEAST_GPUS, MOST_GPUS = 16, 2048
DESIGNS = [("coordinator", "whole"), ("coordinator", "shards"), ("leases", "whole"), ("leases", "shards")]


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job to simulate; times in seconds."""

    gpus: int
    rollout_share: float
    gpus_an_engine: int
    tokens_a_second: float
    at_once: int
    mean_tokens: float
    spread: float
    most_tokens: int
    size: int
    questions: float
    judge_latency: float
    gpus_a_scorer: int
    judges: str
    ledger: str
    warm_up: float
    seconds: float

    @property
    def engines(self) -> int:
        return max(1, round(self.gpus * self.rollout_share / self.gpus_an_engine))

    @property
    def scorers(self) -> int:
        return max(1, math.ceil(self.gpus / self.gpus_a_scorer))


class Process:
    """A queue that `width` CPUs serve, first come, first served; calls must come in order of time."""

    def __init__(self, name: str, width: int | None = 1):
        self.name = name
        self.busy = 0.0
        self._width = width
        self._free = [0.0] * (width or 0)

    def serve(self, now: float, seconds: float, since: float) -> float:
        """Return when work of some seconds is done that comes now; what is done before `since` is not counted."""
        if self._width is None:
            return now + seconds
        start = max(now, self._free[0])
        heapreplace(self._free, start + seconds)
        self.busy += max(0.0, start + seconds - max(start, since))
        return start + seconds

    def share(self, seconds: float) -> float:
        """Return the share of its CPUs' time that it was busy."""
        return 0.0 if self._width is None else min(1.0, self.busy / seconds / self._width)


Step = tuple[Process, float]
Flow = Generator[Step, None, None]


@dataclass
class Group:
    """A group under way: its engine, its scorer, and how many completions are missing."""

    engine: Process
    executor: Process
    scorer: Process
    missing: int


@dataclass
class Simulation:
    """The events of a job. lifted: names of processes that have all the CPUs that they want."""

    job: Job
    costs: Costs
    lifted: frozenset[str] = frozenset()
    decoded: int = 0
    """completions that came from the engines after the warm-up"""
    _events: list[tuple[float, int, Flow]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)
    _now: float = 0.0

    def __post_init__(self) -> None:
        job, self._rng = self.job, random.Random(0)
        self.coordinator, self.collector, self.trainer = (
            self._process(name) for name in ("our coordinator", "OpenRLHF's collector", "OpenRLHF's trainer")
        )
        self._judge = Process("the judge", None)  # whoever waits without a CPU
        self._engines = [Process("an engine", job.at_once) for _ in range(job.engines)]
        self._executors = [self._process("an engine's executor") for _ in self._engines]
        self._scorers = [self._process("the scorers") for _ in range(job.scorers)]
        self._sigma = math.sqrt(math.log(1 + job.spread**2))

    def run(self) -> "Simulation":
        """Simulate the warm-up and the seconds after it."""
        under_way = math.ceil(3 * self.job.engines * self.job.at_once / self.job.size)
        for number in range(under_way):
            self._begin(number, first=True)
        for _ in self._scorers if self._leases else ():
            self._advance(self._reports())
        end = self.job.warm_up + self.job.seconds
        while self._events and self._events[0][0] < end:
            self._now, _, flow = heappop(self._events)
            self._advance(flow)
        return self

    @property
    def rate(self) -> float:
        """Completions a second that were decoded; more than it can go on with where a process is saturated."""
        return self.decoded / self.job.seconds

    def shares(self) -> dict[str, float]:
        """Return the share of its time that each kind of process is busy, the busiest of a kind."""
        found: dict[str, float] = {}
        for one in (self.coordinator, self.collector, self.trainer, *self._executors, *self._scorers):
            found[one.name] = max(found.get(one.name, 0.0), one.share(self.job.seconds))
        return found

    def _process(self, name: str) -> Process:
        return Process(name, None if name in self.lifted else 1)

    def _length(self, first: bool) -> float:
        """Return how many tokens a completion has; of one that is under way at the start, how many are left."""
        mean = math.log(self.job.mean_tokens) - self._sigma**2 / 2
        if not first:
            return min(self.job.most_tokens, self._rng.lognormvariate(mean, self._sigma))
        # long ones are found under way more often, in proportion to their length
        length = self._rng.lognormvariate(mean + self._sigma**2, self._sigma)
        return min(self.job.most_tokens, length) * self._rng.random()

    def _begin(self, number: int, first: bool = False) -> None:
        """Begin a group on the next engine; the first ones are somewhere in their completions."""
        place = number % len(self._engines)
        scorer = self._scorers[self._rng.randrange(len(self._scorers))]
        group = Group(self._engines[place], self._executors[place], scorer, self.job.size)
        for _ in range(self.job.size):
            self._advance(self._completion(group, self._length(first), number))

    def _completion(self, group: Group, tokens: float, number: int) -> Flow:
        job, costs = self.job, self.costs
        yield group.engine, tokens * job.at_once / job.tokens_a_second
        self.decoded += self._now >= job.warm_up
        yield group.executor, costs.executor / 1000
        yield group.scorer, (costs.scorer + job.questions * costs.asking) / 1000
        if job.questions:
            if job.judges == "coordinator":
                yield self.coordinator, job.questions * costs.question / 1000
            yield self._judge, job.judge_latency
        group.missing -= 1
        if not group.missing:
            self._advance(self._finish(number))

    def _finish(self, number: int) -> Flow:
        group = self.costs.whole if self.job.ledger == "whole" else self.costs.coordinator
        group += self.costs.report * self._leases
        yield self.coordinator, group / 1000
        yield self.collector, self.job.size * self.costs.collect / 1000
        yield self.trainer, self.job.size * self.costs.train / 1000
        self._begin(number)

    def _reports(self) -> Flow:
        """Report what a scorer asks, for as long as it scores: as often as a lender of judges lets it."""
        pause = max(SHORTEST_PAUSE_S, REPORT_COST_S * self.job.scorers)
        yield self._judge, self._rng.random() * pause
        while True:
            yield self.coordinator, self.costs.report / 1000
            yield self._judge, pause

    @property
    def _leases(self) -> bool:
        return self.job.judges == "leases" and self.job.questions > 0

    def _advance(self, flow: Flow) -> None:
        """Go on with a flow now, up to its next wait."""
        step = next(flow, None)
        if step is not None:
            process, seconds = step
            done = process.serve(self._now, seconds, self.job.warm_up)
            heappush(self._events, (done, next(self._numbers), flow))


def saturated(job: Job, costs: Costs, most: int = 4) -> Iterator[tuple[str, int, float]]:
    """Yield (process, GPUs from which on it is saturated, completions a second there), one after the other."""
    lifted: frozenset[str] = frozenset()
    for _ in range(most):
        if (found := _first(job, costs, lifted)) is None:
            return
        yield found
        lifted |= {found[0]}


def _first(job: Job, costs: Costs, lifted: frozenset[str]) -> tuple[str, int, float] | None:
    def at(gpus: int) -> tuple[float, str, float]:
        simulation = Simulation(_with(job, gpus=gpus), costs, lifted).run()
        share, name = max((share, name) for name, share in simulation.shares().items())
        return share, name, simulation.rate

    low, high = 0, LEAST_GPUS
    while at(high)[0] < SATURATED:
        low, high = high, 2 * high
        if high > MOST_GPUS:
            return None
    while high - low > high // 25:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle)[0] >= SATURATED else (middle, high)
    _, name, rate = at(high)
    return name, high, rate


def _with(job: Job, **values: Any) -> Job:
    return Job(**{**asdict(job), **values})


def main() -> None:
    options = _options()
    costs = Costs() if options.recorded else measured(options.tokens, options.size, options.micro_batch)
    print(f"costs, ms of one CPU ({options.tokens} tokens, groups of {options.size}):")
    for name, value in asdict(costs).items():
        print(f"  {name:<15} {value:10.2f}")
    designs = [d for d in DESIGNS if options.judges in (None, d[0]) and options.ledger in (None, d[1])]
    for judges, ledger in designs or [(options.judges, options.ledger)]:
        _print_design(_job(options, judges, ledger), costs)
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def _print_design(job: Job, costs: Costs) -> None:
    simulation = Simulation(job, costs).run()
    rate, told = simulation.rate, costs.bytes_whole if job.ledger == "whole" else costs.bytes_numbers
    print(
        f"\njudges: {job.judges}, ledger: {job.ledger}; {job.gpus} GPUs, {job.engines} engines, {job.scorers} scorers"
    )
    print(f"  {rate:.0f} completions a second, {rate * job.questions:.0f} questions")
    ours, theirs = rate / job.size * told / 1e6, rate * costs.bytes_sample / 1e6
    print(f"  {ours:.1f} MB a second to our coordinator, {theirs:.0f} to OpenRLHF's collector")
    for name, share in sorted(simulation.shares().items(), key=lambda one: -one[1]):
        print(f"  {name:<22} busy {share:4.0%}")
    for place, (name, gpus, there) in enumerate(saturated(job, costs), 1):
        print(f"  {place}. {name}: from {gpus} GPUs on ({there:.0f} completions a second)")


def _job(options: Any, judges: str, ledger: str) -> Job:
    return Job(
        gpus=options.gpus,
        rollout_share=options.rollout_share,
        gpus_an_engine=options.gpus_an_engine,
        tokens_a_second=options.tokens_a_second * options.gpus_an_engine,
        at_once=options.at_once,
        mean_tokens=options.tokens,
        spread=options.spread,
        most_tokens=options.most_tokens,
        size=options.size,
        questions=options.questions,
        judge_latency=options.judge_latency,
        gpus_a_scorer=options.gpus_a_scorer,
        judges=judges,
        ledger=ledger,
        warm_up=options.warm_up,
        seconds=options.seconds,
    )


def _options() -> Any:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=1000)
    parser.add_argument("--rollout-share", type=float, default=0.5, help="of the GPUs that decode; the others train")
    parser.add_argument("--gpus-an-engine", type=int, default=1)
    parser.add_argument("--tokens-a-second", type=float, default=2500.0, help="that a GPU decodes")
    parser.add_argument("--at-once", type=int, default=32, help="completions that an engine decodes at once")
    parser.add_argument("--tokens", type=int, default=2000, help="mean of a completion; lengths are log-normal")
    parser.add_argument("--spread", type=float, default=0.7, help="standard deviation of lengths by their mean")
    parser.add_argument("--most-tokens", type=int, default=8192)
    parser.add_argument("--size", type=int, default=8, help="completions of a group")
    parser.add_argument("--micro-batch", type=int, default=8, help="of OpenRLHF's experience, where that is measured")
    parser.add_argument(
        "--questions", type=float, default=7.0, help="to judges, a completion: size - 1 with both orders"
    )
    parser.add_argument("--judge-latency", type=float, default=1.0, help="seconds")
    parser.add_argument("--gpus-a-scorer", type=int, default=32, help="one scorer, of one CPU, for this many GPUs")
    parser.add_argument("--judges", choices=["coordinator", "leases"])
    parser.add_argument("--ledger", choices=["whole", "shards"])
    parser.add_argument("--warm-up", type=float, default=60.0, help="simulated seconds that do not count")
    parser.add_argument("--seconds", type=float, default=20.0, help="simulated seconds that count")
    parser.add_argument("--recorded", action="store_true", help="measure nothing: the costs as last measured")
    return parser.parse_args()


if __name__ == "__main__":
    main()
