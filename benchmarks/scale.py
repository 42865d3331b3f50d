"""What a step of an OpenRLHF job waits for, at 64 to 4,096 GPUs: its serial phases, and the GPU hours that are idle.

    python benchmarks/scale.py
    python benchmarks/scale.py --measure            # the processes' costs anew; all of them where openrlhf is installed
    python benchmarks/scale.py --parameters 32e9 --tokens 6000 --questions 7 --gpus 256 1024

A step is one phase after the other: completions are decoded; the last of them are scored; OpenRLHF's trainer process
puts the samples together and sends them; the ranks make log-probabilities of policy and reference; the trainer process
adds up the returns (both parts are `controller`); the ranks make the updates; the weights go to the engines. In a
synchronous job with `colocate` every GPU decodes and trains in turn. In an asynchronous job half of the GPUs decode the
next step while the other half does all the rest of this one, but for the exchange of weights, which stops them both.

While completions are decoded, processes of one CPU each work on those that are there: the engines' executors, scorers,
our coordinator, OpenRLHF's collector. One that needs longer than the decoding makes it longer. Judges and networks are
assumed to keep up.

The costs of processes are those of scale_costs.py. What GPUs do is arithmetic from the options below and was measured
nowhere; it is there so that the processes' times stand beside something of the right size. Four designs: micro-batches
of one row, as memory alone chose them for long completions; by tokens; the same with engines of 8 GPUs, which are fewer
to send weights to; and OpenRLHF as it could be, whose trainer process takes no time for each token.
"""

import heapq
import math
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property

from rewardlab_leases.judge_lender import MIN_PAUSE_S, REPORT_COST_S
from scale_costs import Costs, Lengths, measured

ROW, BY_TOKENS, FEW_ENGINES, VECTORISED = "rows of 1", "by tokens", "by tokens, engines of 8", "no loop over tokens"
DESIGNS = (ROW, BY_TOKENS, FEW_ENGINES, VECTORISED)
BROKEN = 0.1
"""a phase without which a step were shorter by more than this share has broken"""
MIN_GPUS, MAX_GPUS = 16, 8192


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A part of a step; the share of all GPUs that work in it."""

    name: str
    seconds: float
    working: float


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job; times in seconds, costs of processes in milliseconds."""

    options: Namespace
    costs: Costs
    gpus: int
    design: str
    asynchronous: bool

    @property
    def ranks(self) -> int:
        return self.gpus // 2 if self.asynchronous else self.gpus

    @property
    def decoding(self) -> int:
        """GPUs that decode."""
        return self.gpus - self.ranks if self.asynchronous else self.gpus

    @property
    def engines(self) -> int:
        return max(1, self.decoding // (8 if self.design == FEW_ENGINES else 1))

    @property
    def scorers(self) -> int:
        return math.ceil(self.gpus / self.options.gpus_a_scorer)

    @property
    def completions(self) -> int:
        return self.gpus * self.options.completions_a_gpu

    @cached_property
    def decode(self) -> Phase:
        """The decoding of all completions, which lasts until the last process is done with them."""
        ends = _ends(self.options, self.completions // self.decoding, min(self.decoding, self.options.gpus_simulated))
        longest = max(max(ends), *self.meanwhile(max(ends)).values())
        return Phase(name="decode", seconds=longest, working=sum(ends) / len(ends) / longest)

    def meanwhile(self, decoded: float) -> dict[str, float]:
        """Return the CPU seconds that a process of each kind needs for the completions of a step.

        decoded: seconds of the step's decoding, in which scorers report as often as a lender of judges lets them.
        """
        costs, options, count = self.costs, self.options, self.completions
        reports = self.scorers * decoded / max(MIN_PAUSE_S, REPORT_COST_S * self.scorers)
        leased = bool(options.questions) * costs.report
        per_group = costs.coordinator + leased
        seconds = {
            "an executor": count / self.engines * costs.executor,
            "a scorer": count / self.scorers * (costs.scorer + options.questions * costs.asking),
            "our coordinator": count / options.size * per_group + reports * leased,
            "the collector": count * costs.collect,
        }
        return {name: ms / 1000 for name, ms in seconds.items()}

    @cached_property
    def training(self) -> list[Phase]:
        """The phases behind the decoding."""
        options, share = self.options, self.ranks / self.gpus
        train = {ROW: self.costs.train_rows_of_1, VECTORISED: self.costs.train_row}
        controller = self.completions * train.get(self.design, self.costs.train_by_tokens) / 1000
        told = options.tensors * self.engines * self.costs.tell / 1000
        weights = told + 2 * options.parameters / options.bytes_a_second
        return [
            Phase(name="controller", seconds=controller, working=0.0),
            Phase(name="forward", seconds=self._flops(2 * options.passes), working=share),
            Phase(name="update", seconds=self._flops(8) + options.optimiser, working=share),
            Phase(name="weights", seconds=weights, working=0.0),
        ]

    def _flops(self, a_parameter: float) -> float:
        """Return the seconds of a pass of all ranks with so many operations a parameter and token."""
        options = self.options
        tokens = self.completions * (options.tokens + options.prompt)
        return a_parameter * options.parameters * tokens / (self.ranks * options.flops)

    @cached_property
    def score(self) -> Phase:
        """The scoring of the completions that were decoded last."""
        own = self.costs.scorer + self.options.questions * self.costs.asking
        return Phase(name="score", seconds=self.options.judge_latency + own / 1000, working=0.0)

    def seconds(self, without: str = "") -> float:
        """Return the seconds of a step; `without` the phase of this name, were it done in no time."""
        left = {phase.name: phase.seconds * (phase.name != without) for phase in self.phases}
        generating, training = left["decode"] + left["score"], sum(left[phase.name] for phase in self.training)
        return max(training, generating + left["weights"]) if self.asynchronous else generating + training

    @property
    def idle(self) -> float:
        """The share of the GPUs' time in which they do nothing."""
        decoded = self.decode.seconds * self.decode.working * self.decoding / self.gpus
        return 1 - (decoded + sum(phase.seconds * phase.working for phase in self.training)) / self.seconds()

    @property
    def phases(self) -> list[Phase]:
        return [self.decode, self.score, *self.training]


def _ends(options: Namespace, share: int, gpus: int) -> list[float]:
    """Return when each of some GPUs has decoded its share of the completions."""
    lengths, places = Lengths(options.tokens, options.spread, options.most_tokens), options.at_once
    ends = []
    for _ in range(gpus):
        free = [0.0] * places
        for _ in range(share):
            heapq.heapreplace(free, free[0] + lengths.draw() * places / options.tokens_a_second)
        ends.append(max(free))
    return ends


def broken(job: Job) -> Iterator[tuple[int, str]]:
    """Yield (GPUs from which on a phase has broken, its name), in order; the decoding is what a step is for."""
    names = [phase.name for phase in job.phases[1:]]
    found = [(gpus, name) for name in names if (gpus := _breaks_at(job, name)) is not None]
    yield from sorted(found)


def _breaks_at(job: Job, name: str) -> int | None:
    def is_broken(gpus: int) -> bool:
        one = replace(job, gpus=gpus)
        return one.seconds(name) < (1 - BROKEN) * one.seconds()

    high = MIN_GPUS
    while not is_broken(high):
        high *= 2
        if high > MAX_GPUS:
            return None
    low = high // 2
    while high - low > max(2, high // 16):
        middle = (low + high) // 4 * 2
        low, high = (low, middle) if is_broken(middle) else (middle, high)
    return high


def main() -> None:
    options = _options()
    costs = measured(options.tokens, options.size) if options.measure else Costs()
    print("costs, ms of one CPU: " + ", ".join(f"{name} {value:g}" for name, value in asdict(costs).items()))
    for asynchronous in (False, True):
        print(f"\n{'asynchronous, half of the GPUs decode' if asynchronous else 'synchronous, colocate'}, s a step:\n")
        heads = ("GPUs", "micro-batches", "decode", "score", "controller", "forward", "update", "weights")
        print(f"| {' | '.join((*heads, 'step', 'idle, GPU hours'))} |\n{'|---' * 10}|")
        jobs = [
            Job(options=options, costs=costs, gpus=gpus, design=design, asynchronous=asynchronous)
            for gpus in options.gpus
            for design in DESIGNS
        ]
        for job in jobs:
            times = " | ".join(f"{phase.seconds:,.1f}" for phase in job.phases)
            hours = job.idle * job.seconds() * job.gpus / 3600
            print(f"| {job.gpus:,} | {job.design} | {times} | {job.seconds():,.0f} | {job.idle:.0%}, {hours:,.1f} |")
        print(f"\nwhat breaks, in order: without it a step were shorter by more than {BROKEN:.0%}")
        for job in jobs[: len(DESIGNS)]:
            told = ", ".join(f"{name} from {gpus:,} GPUs" for gpus, name in broken(job))
            print(f"  {job.design}: {told or f'nothing up to {MAX_GPUS:,} GPUs'}")
    print("\nprocesses that work while a synchronous step is decoded, s of their CPU:")
    for gpus in options.gpus:
        job = Job(options=options, costs=costs, gpus=gpus, design=BY_TOKENS, asynchronous=False)
        needed = ", ".join(f"{name} {seconds:.1f}" for name, seconds in job.meanwhile(job.decode.seconds).items())
        print(f"  {gpus:,} GPUs, {job.scorers} scorers, {job.decode.seconds:.0f} s: {needed}")


def _options() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, nargs="+", default=[64, 256, 1024, 4096])
    parser.add_argument("--completions-a-gpu", type=int, default=16, help="of a step; the batch grows with the GPUs")
    parser.add_argument("--parameters", type=float, default=7.6e9)
    parser.add_argument("--tensors", type=int, default=339, help="parameters by name, each of which is sent by itself")
    parser.add_argument("--tokens", type=int, default=2000, help="mean of a completion; lengths are log-normal")
    parser.add_argument("--spread", type=float, default=0.7, help="standard deviation of lengths by their mean")
    parser.add_argument("--most-tokens", type=int, default=8000)
    parser.add_argument("--prompt", type=int, default=300)
    parser.add_argument("--size", type=int, default=8, help="completions of a group")
    parser.add_argument("--questions", type=float, default=7.0, help="to judges, a completion: size - 1 in both orders")
    parser.add_argument("--gpus-a-scorer", type=int, default=32, help="one scorer, of one CPU, for this many GPUs")
    parser.add_argument("--tokens-a-second", type=float, default=2500.0, help="that a GPU decodes")
    parser.add_argument("--at-once", type=int, default=32, help="completions that a GPU decodes at once")
    parser.add_argument("--gpus-simulated", type=int, default=256, help="GPUs whose completions are drawn")
    parser.add_argument("--judge-latency", type=float, default=1.0, help="seconds, of the last completions' questions")
    parser.add_argument("--passes", type=int, default=2, help="without gradients: policy and reference")
    parser.add_argument("--flops", type=float, default=3.5e14, help="a second of one GPU")
    parser.add_argument(
        "--optimiser", type=float, default=2.0, help="seconds of gradients' sum and Adam, of all updates"
    )
    parser.add_argument("--bytes-a-second", type=float, default=2e10, help="of the weights on their way to the engines")
    parser.add_argument("--measure", action="store_true", help="the processes' costs here, not as last measured")
    return parser.parse_args()


if __name__ == "__main__":
    main()
