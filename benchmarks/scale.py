"""What a step of a job on Ray waits for, at 64 to 4,096 GPUs: its serial phases, and the GPU hours that are idle.

    python benchmarks/scale.py
    python benchmarks/scale.py --engine verl
    python benchmarks/scale.py --measure            # the processes' costs anew; an engine's where it is installed
    python benchmarks/scale.py --parameters 32e9 --tokens 6000 --questions 7 --gpus 256 1024

A step is one phase after the other: completions are decoded; the last of them are scored; the trainer process puts the
samples together and sends them; the ranks make log-probabilities of policy and reference; the trainer process adds up
the returns (both parts are `controller`); the ranks make the updates; the weights go to the engines. In a synchronous
job with `colocate` every GPU decodes and trains in turn. In an asynchronous job, which OpenRLHF alone has, half of the
GPUs decode the next step while the other half does all the rest of this one, but for the exchange of weights, which
stops them both.

A GPU decodes `--tokens-a-second` with all its `--places` taken, and `--alone` for one completion; between these the
time of a token grows evenly with the completions that run. While completions are decoded, processes of one CPU each
work on those that are there: the engines' executors (verl: agent loops), scorers, our coordinator, OpenRLHF's
collector. One that needs longer than the decoding makes it longer. Judges and networks are assumed to keep up.

The costs of processes are those of scale_costs.py; what grows with a completion does so with `--tokens`. What GPUs do
is arithmetic from the options below and was measured nowhere; it is there so that the processes' times stand beside
something of the right size. OpenRLHF has four designs: micro-batches of one row, as memory alone chose them for long
completions; by tokens; the same with engines of 8 GPUs, which are fewer to send weights to; and OpenRLHF as it could
be, whose trainer process takes no time for each token. verl has one: its trainer process works with tensors, and each
rank hands the weights to the engine on its own GPU, so that nothing is announced by one for all.
"""

import heapq
import math
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property

from scale_costs import Cost, Costs, Lengths, measured

ROW, BY_TOKENS, FEW_ENGINES, VECTORISED = "rows of 1", "by tokens", "by tokens, engines of 8", "no loop over tokens"
DESIGNS = {"openrlhf": (ROW, BY_TOKENS, FEW_ENGINES, VECTORISED), "verl": ("verl",)}
AGENT_LOOPS = 8
"""verl's processes that hand out prompts, by its default"""
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
    """A job of an engine; times in seconds, costs of processes in milliseconds."""

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
        longest = max(max(ends), *self.meanwhile().values())
        return Phase(name="decode", seconds=longest, working=sum(ends) / len(ends) / longest)

    def meanwhile(self) -> dict[str, float]:
        """Return the CPU seconds that a process of each kind needs for the completions of a step."""
        costs, options, count = self.costs, self.options, self.completions
        seconds = {
            "a scorer": count / self.scorers * self._scoring,
            "our coordinator": count / options.size * costs.coordinator,
        }
        if options.engine == "verl":
            seconds["an agent loop"] = count / AGENT_LOOPS * costs.executor.of(options.tokens)
        else:
            seconds["an executor"] = count / self.engines * costs.executor.of(options.tokens)
            seconds["the collector"] = count * costs.collect.of(options.tokens)
        return {name: ms / 1000 for name, ms in seconds.items()}

    @property
    def _scoring(self) -> float:
        """Milliseconds of a completion in a scorer, its questions included."""
        return self.costs.scorer.of(self.options.tokens) + self.options.questions * self.costs.asking

    @cached_property
    def training(self) -> list[Phase]:
        """The phases behind the decoding."""
        options, share = self.options, self.ranks / self.gpus
        told = options.tensors * self.engines * self.costs.tell / 1000 if options.engine == "openrlhf" else 0.0
        weights = told + 2 * options.parameters / options.bytes_a_second
        return [
            Phase(name="controller", seconds=self.completions * self._controlling / 1000, working=0.0),
            Phase(name="forward", seconds=self._flops(2 * options.passes), working=share),
            Phase(name="update", seconds=self._flops(8) + options.optimiser, working=share),
            Phase(name="weights", seconds=weights, working=0.0),
        ]

    @property
    def _controlling(self) -> float:
        """Milliseconds of a sample in the trainer process."""
        costs, tokens = self.costs, self.options.tokens
        if self.options.engine == "verl":
            return costs.verl.of(tokens)
        if self.design == VECTORISED:
            return costs.train_row
        rows_of_1 = costs.train_rows_of_1.of(tokens)
        by_tokens = min(rows_of_1, max(costs.train_row, costs.train_by_tokens.of(tokens)))
        return rows_of_1 if self.design == ROW else by_tokens

    def _flops(self, a_parameter: float) -> float:
        """Return the seconds of a pass of all ranks with so many operations a parameter and token."""
        options = self.options
        tokens = self.completions * (options.tokens + options.prompt)
        return a_parameter * options.parameters * tokens / (self.ranks * options.flops)

    @cached_property
    def score(self) -> Phase:
        """The scoring of the completions that were decoded last."""
        return Phase(name="score", seconds=self.options.judge_latency + self._scoring / 1000, working=0.0)

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
    lengths = Lengths(options.tokens, options.spread, options.max_tokens)
    return [decoded([lengths.draw() for _ in range(share)], options) for _ in range(gpus)]


def decoded(lengths: Sequence[int], options: Namespace) -> float:
    """Return the seconds in which a GPU decodes completions of these lengths, as many at once as it has places."""
    waiting = list(lengths)
    running = sorted(waiting.pop() for _ in range(min(options.places, len(waiting))))
    seconds, tokens = 0.0, 0  # so many tokens a completion that has run from the start has
    while running:
        seconds += (running[0] - tokens) * seconds_a_token(len(running), options)
        tokens = heapq.heappop(running)
        if waiting:
            heapq.heappush(running, tokens + waiting.pop())
    return seconds


def seconds_a_token(running: int, options: Namespace) -> float:
    """Return the seconds in which each of so many running completions gets one token."""
    alone, full = 1 / options.alone, options.places / options.tokens_a_second
    return full if options.places == 1 else alone + (full - alone) * (running - 1) / (options.places - 1)


def broken(job: Job) -> Iterator[tuple[int, str]]:
    """Yield (GPUs from which on a phase has broken, its name), in order, of those in which GPUs wait."""
    names = [phase.name for phase in job.phases[1:] if not phase.working]
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
    low = high if high == MIN_GPUS else high // 2
    while high - low > max(2, high // 16):
        middle = (low + high) // 4 * 2
        low, high = (low, middle) if is_broken(middle) else (middle, high)
    return high


def main() -> None:
    options = _options()
    costs = measured(options.size) if options.measure else Costs()
    shown = ((name, getattr(costs, name)) for name in asdict(costs))
    told = (f"{name} {cost.of(options.tokens) if isinstance(cost, Cost) else cost:.3g}" for name, cost in shown)
    print(f"costs, ms of one CPU, {options.tokens:,} tokens a completion: " + ", ".join(told))
    designs = DESIGNS[options.engine]
    for asynchronous in (False, True) if options.engine == "openrlhf" else (False,):
        print(f"\n{'asynchronous, half of the GPUs decode' if asynchronous else 'synchronous, colocate'}, s a step:\n")
        heads = ("GPUs", "micro-batches", "decode", "score", "controller", "forward", "update", "weights")
        print(f"| {' | '.join((*heads, 'step', 'idle, GPU hours'))} |\n{'|---' * 10}|")
        jobs = [
            Job(options=options, costs=costs, gpus=gpus, design=design, asynchronous=asynchronous)
            for gpus in options.gpus
            for design in designs
        ]
        for job in jobs:
            times = " | ".join(f"{phase.seconds:,.1f}" for phase in job.phases)
            hours = job.idle * job.seconds() * job.gpus / 3600
            print(f"| {job.gpus:,} | {job.design} | {times} | {job.seconds():,.0f} | {job.idle:.0%}, {hours:,.1f} |")
        print(f"\nwhat breaks, in order: without it a step were shorter by more than {BROKEN:.0%}")
        for job in jobs[: len(designs)]:
            told = ", ".join(f"{name} from {gpus:,} GPUs" for gpus, name in broken(job))
            print(f"  {job.design}: {told or f'nothing up to {MAX_GPUS:,} GPUs'}")
    print("\nprocesses that work while a synchronous step is decoded, s of their CPU:")
    for gpus in options.gpus:
        job = Job(options=options, costs=costs, gpus=gpus, design=designs[len(designs) > 1], asynchronous=False)
        needed = ", ".join(f"{name} {seconds:.1f}" for name, seconds in job.meanwhile().items())
        print(f"  {gpus:,} GPUs, {job.scorers} scorers, {job.decode.seconds:.0f} s: {needed}")


def _options(arguments: Sequence[str] | None = None) -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=list(DESIGNS), default="openrlhf")
    parser.add_argument("--gpus", type=int, nargs="+", default=[64, 256, 1024, 4096])
    parser.add_argument("--completions-a-gpu", type=int, default=16, help="of a step; the batch grows with the GPUs")
    parser.add_argument("--parameters", type=float, default=7.6e9)
    parser.add_argument("--tensors", type=int, default=339, help="parameters by name, each of which is sent by itself")
    parser.add_argument("--tokens", type=int, default=2000, help="mean of a completion; lengths are log-normal")
    parser.add_argument("--spread", type=float, default=0.7, help="standard deviation of lengths by their mean")
    parser.add_argument("--max-tokens", type=int, help="of a completion; by default four times their mean")
    parser.add_argument("--prompt", type=int, default=300)
    parser.add_argument("--size", type=int, default=8, help="completions of a group")
    parser.add_argument("--questions", type=float, default=7.0, help="to judges, a completion: size - 1 in both orders")
    parser.add_argument("--gpus-a-scorer", type=int, default=32, help="one scorer, of one CPU, for this many GPUs")
    parser.add_argument("--places", type=int, default=32, help="completions that a GPU decodes at once")
    parser.add_argument("--tokens-a-second", type=float, default=2500.0, help="that a GPU decodes in all places")
    parser.add_argument("--alone", type=float, default=150.0, help="tokens a second of a completion that decodes alone")
    parser.add_argument("--gpus-simulated", type=int, default=256, help="GPUs whose completions are drawn")
    parser.add_argument("--judge-latency", type=float, default=1.0, help="seconds, of the last completions' questions")
    parser.add_argument("--passes", type=int, default=2, help="without gradients: policy and reference")
    parser.add_argument("--flops", type=float, default=3.5e14, help="a second of one GPU")
    parser.add_argument(
        "--optimiser", type=float, default=2.0, help="seconds of gradients' sum and Adam, of all updates"
    )
    parser.add_argument("--bytes-a-second", type=float, default=2e10, help="of the weights on their way to the engines")
    parser.add_argument("--measure", action="store_true", help="the processes' costs here, not as last measured")
    options = parser.parse_args(arguments)
    if options.alone < options.tokens_a_second / options.places:
        parser.error("--alone: one completion alone is no slower than one of many, --tokens-a-second / --places")
    options.max_tokens = options.max_tokens or 4 * options.tokens
    return options


if __name__ == "__main__":
    main()
