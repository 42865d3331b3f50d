"""What a step of an OpenRLHF job waits for, at 64 to 4,096 GPUs: its serial phases, and the GPU hours that are idle.

    python benchmarks/scale_steps.py
    python benchmarks/scale_steps.py --parameters 32e9 --tokens 6000 --gpus 256 1024

A step is one phase after the other: completions are decoded; the last of them are scored; OpenRLHF's trainer process
puts the samples together and sends them; the ranks make log-probabilities of policy and reference; the trainer process
adds up the returns (both parts are `controller`); the ranks make the updates; the weights go to the engines. In a
synchronous job with `colocate` every GPU decodes and trains in turn. In an asynchronous job half of the GPUs decode the
next step while the other half does all the rest of this one, but for the exchange of weights, which stops them both.

The costs of processes are those of scale_costs.py. What GPUs do is arithmetic from the options below and was measured
nowhere; it is there so that the processes' times stand beside something of the right size. Four designs: micro-batches
of one row, as memory alone chose them for long completions; by tokens; the same with engines of 8 GPUs, which are fewer
to send weights to; and OpenRLHF as it could be, whose trainer process takes no time for each token.
"""

import heapq
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from dataclasses import dataclass

from scale_costs import Costs, Lengths

ROW, BY_TOKENS, FEW_ENGINES, VECTORISED = "rows of 1", "by tokens", "by tokens, engines of 8", "no loop over tokens"
DESIGNS = (ROW, BY_TOKENS, FEW_ENGINES, VECTORISED)


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
        return self.decoding // (8 if self.design == FEW_ENGINES else 1)

    @property
    def completions(self) -> int:
        return self.gpus * self.options.completions_a_gpu


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A part of a step; the share of all GPUs that work in it."""

    name: str
    seconds: float
    working: float


def phases(job: Job) -> list[Phase]:
    """Return the phases of one step; of an asynchronous job, those of the GPUs that train."""
    decode, busy = _decoding(job)
    train = 1.0 if not job.asynchronous else job.ranks / job.gpus
    own = [] if job.asynchronous else [Phase(name="decode", seconds=decode, working=busy)]
    return [
        *own,
        Phase(name="score", seconds=0.0 if job.asynchronous else job.options.judge_latency, working=0.0),
        Phase(name="controller", seconds=_controller(job), working=0.0),
        Phase(name="forward", seconds=_flops(job, 2 * job.options.passes), working=train),
        Phase(name="update", seconds=_flops(job, 8) + job.options.optimiser, working=train),
        Phase(name="weights", seconds=_weights(job), working=0.0),
    ]


def _decoding(job: Job) -> tuple[float, float]:
    """Return the seconds until the last completion is decoded, and the share of them for which a GPU has one."""
    options, decoding = job.options, job.decoding
    lengths, places = Lengths(options.tokens, options.spread, options.most_tokens), options.at_once
    sample = min(decoding, options.engines_simulated)
    ends, share = [], job.completions // decoding
    for _ in range(sample):
        free = [0.0] * places
        for _ in range(share):
            heapq.heapreplace(free, free[0] + lengths.draw() * places / options.tokens_a_second)
        ends.append(max(free))
    longest = max(*ends, job.completions * job.costs.collect / 1000)  # samples are collected meanwhile, by one process
    return longest, sum(ends) / sample / longest


def _controller(job: Job) -> float:
    costs, design = job.costs, job.design
    train = {ROW: costs.train_rows_of_1, VECTORISED: costs.train_row}.get(design, costs.train_by_tokens)
    return job.completions * train / 1000


def _flops(job: Job, a_parameter: float) -> float:
    """Return the seconds of a pass of all ranks with so many operations a parameter and token."""
    options = job.options
    tokens = job.completions * (options.tokens + options.prompt)
    return a_parameter * options.parameters * tokens / (job.ranks * options.flops)


def _weights(job: Job) -> float:
    """Return the seconds in which each tensor is told to each engine, one tensor after the other, and sent."""
    options = job.options
    return options.tensors * job.engines * job.costs.tell / 1000 + 2 * options.parameters / options.bytes_a_second


def told(job: Job) -> str:
    """Return a row of the table: the seconds of each phase, and what of the GPUs is idle: a share, and GPU hours."""
    parts = phases(job)
    length = sum(phase.seconds for phase in parts)
    worked = sum(phase.seconds * phase.working for phase in parts)
    if job.asynchronous:
        decode, busy = _decoding(job)
        exchange = parts[-1].seconds
        worked += decode * busy * job.decoding / job.gpus
        length = max(length, decode + exchange)
    idle = 1 - worked / length
    hours = idle * length * job.gpus / 3600
    first = max(parts, key=lambda phase: phase.seconds * (1 - phase.working))
    times = " | ".join(f"{phase.seconds:.1f}" for phase in parts)
    times = f"({_decoding(job)[0]:.1f}) | {times}" if job.asynchronous else times
    return f"| {job.gpus:,} | {job.design} | {times} | {length:.0f} | {idle:.0%}, {hours:,.1f} | {first.name} |"


def main() -> None:
    options = _options()
    for asynchronous in (False, True):
        print(f"\n{'asynchronous, half of the GPUs decode' if asynchronous else 'synchronous, colocate'}, s a step:\n")
        heads = ("GPUs", "micro-batches", "decode", "score", "controller", "forward", "update", "weights")
        print(f"| {' | '.join((*heads, 'step', 'idle, GPU hours', 'most of it'))} |\n{'|---' * 11}|")
        for gpus in options.gpus:
            for design in DESIGNS:
                job = Job(options=options, costs=Costs(), gpus=gpus, design=design, asynchronous=asynchronous)
                print(told(job))


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
    parser.add_argument("--tokens-a-second", type=float, default=2500.0, help="that a GPU decodes")
    parser.add_argument("--at-once", type=int, default=32, help="completions that a GPU decodes at once")
    parser.add_argument("--engines-simulated", type=int, default=256, help="GPUs whose completions are drawn")
    parser.add_argument("--judge-latency", type=float, default=1.0, help="seconds, of the last completions' questions")
    parser.add_argument("--passes", type=int, default=2, help="without gradients: policy and reference")
    parser.add_argument("--flops", type=float, default=3.5e14, help="a second of one GPU")
    parser.add_argument(
        "--optimiser", type=float, default=2.0, help="seconds of gradients' sum and Adam, of all updates"
    )
    parser.add_argument("--bytes-a-second", type=float, default=2e10, help="of the weights on their way to the engines")
    return parser.parse_args()


if __name__ == "__main__":
    main()
