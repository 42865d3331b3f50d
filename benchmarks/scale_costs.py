"""What one completion, one group and one question cost each process of an OpenRLHF job, measured on this machine.

For `scale.py`. CPU seconds of real code: our executor, scorers and coordinator on a real Ray (openrlhf_scoring.py,
judge_leases.py), and OpenRLHF's own controller, with pickles in place of Ray's object store.
"""

import json
import math
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

GROUPS = 32
"""groups of which OpenRLHF's part is measured; of ours it is four times as many, for its clocks tick slowly"""


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Milliseconds of one CPU, as last measured (2 cores of an AMD EPYC, Python 3.11; 2,000 tokens, groups of 8)."""

    executor: float = 1.5
    """a completion, in a rollout engine's actor"""
    scorer: float = 6.1
    """a completion, in a scorer and its workers, writing to the shard included"""
    asking: float = 0.54
    """a question, in the scorer that asks a judge under leases: `judge_leases.py`, groups of 16, these included"""
    whole: float = 3.2
    """a group at the coordinator where it travels there whole, to be written: `openrlhf_scoring.py` before there were
    shards. Not measured here"""
    coordinator: float = 2.3
    """a group at the coordinator where it gets its numbers; the two calls for its prompt are part of either. One
    after the other, on a busier machine, these were 4.6 whole and 3.4"""
    question: float = 1.0
    """a question that passes the coordinator: `openrlhf_scoring.py` before there were leases. Not measured here"""
    report: float = 0.54
    """a scorer's report of what it asks, at the coordinator, which answers with what it lends"""
    collect: float = 1.3
    """a sample, in OpenRLHF's process that collects a batch"""
    train: float = 3.2
    """a sample, in OpenRLHF's process that makes experience of it and hands it to the ranks: 3.2 with micro-batches
    of 8, 16.9 with 1, 1.8 with 32, for it goes through returns token by token in Python"""
    train_rows_of_1: float = 22.0
    """the same in micro-batches of one row, for completions of 2,000 tokens on average, log-normal, at most 8,000"""
    train_by_tokens: float = 9.7
    """the same in micro-batches of up to 11,768 tokens, which `memory.batches` compiles for these and a model of 7.6
    billion parameters"""
    train_row: float = 1.0
    """a sample, were nothing done token by token: what is left of 22.0, 6.9 (8 rows) and their like"""
    tell: float = 0.53
    """a tensor told to an engine, in the trainer's rank 0: a call of an actor, with its answer"""
    bytes_whole: float = 65_000.0
    """a group on its way to the coordinator, whole"""
    bytes_numbers: float = 350.0
    """and its numbers"""
    bytes_sample: float = 29_000.0
    """a sample on its way to OpenRLHF's controller"""


def measured(tokens: int, size: int, micro_batch: int = 8) -> Costs:
    """Measure all that this environment can, and print what it cannot."""
    found: dict[str, float] = {}
    theirs = partial(controller, micro_batch=micro_batch)
    measures: dict[str, Callable[[int, int], dict[str, float]]]
    measures = {"messages": messages, "the actors": actors, "questions": questions, "OpenRLHF's controller": theirs}
    for what, measure in measures.items():
        print(f"measuring {what} ...", file=sys.stderr)
        try:
            found |= measure(tokens, size)
        except ImportError as error:
            print(f"{what}: as last measured, for lack of {error.name}", file=sys.stderr)
    return Costs(**found)


def cpu_ms(work: Callable[[], Any]) -> float:
    """Return the milliseconds of CPU that this thread needs for `work`."""
    start = time.thread_time()
    work()
    return 1000 * (time.thread_time() - start)


# --- Messages to the coordinator


def messages(tokens: int, size: int) -> dict[str, float]:
    """Measure how large the message about a group is, whole and as numbers."""
    from rewardlab.training import LedgerShard, numbers_of_group
    from rewardlab_openrlhf.messages import WrittenGroup

    with tempfile.TemporaryDirectory() as folder:
        group = scored(tokens, size)
        span = LedgerShard(Path(folder), 0, 0, 0).write(f"{0:032}", group)
        told = WrittenGroup(span=span, numbers=numbers_of_group(group))
    return {"bytes_whole": len(pickle.dumps(group)), "bytes_numbers": len(pickle.dumps(told))}


def scored(tokens: int, size: int) -> Any:
    """Return a scored group with three components and texts of about four characters a token."""
    from rewardlab import Completion, Sample, Score
    from rewardlab.scoring.composition import ScoredGroup

    rng = random.Random(0)
    texts = [" ".join(rng.choices([f"w{n:02d}" for n in range(100)], k=tokens)) for _ in range(size)]
    values = [rng.random() for _ in texts]
    return ScoredGroup(
        sample=Sample(id="one", prompt=({"role": "user", "content": "How much?"},), fields={"answer": "1"}),
        completions=[Completion(text=text, token_count=tokens) for text in texts],
        components={name: [Score(value=value, info={"seen": 1}) for value in values] for name in ("a", "b", "c")},
        totals=values,
        shaped=values,
    )


# --- The actors of a stage on a real Ray


def actors(tokens: int, size: int) -> dict[str, float]:
    """Measure executor, scorers and coordinator as openrlhf_scoring.py does."""
    import ray  # noqa: F401  (says what is missing)

    sizes = ["--groups", str(4 * GROUPS), "--size", str(size), "--tokens", str(tokens)]
    found = told_by("openrlhf_scoring.py", "--only", "inline", "--json", *sizes)
    return {
        "executor": found["an engine's actor"],
        "scorer": found["a scorer"],
        "coordinator": size * found["the coordinator"],
    }


def questions(tokens: int, size: int) -> dict[str, float]:
    """Measure what a question costs the scorers as judge_leases.py does, and what a report costs the coordinator."""
    import ray  # noqa: F401  (says what is missing)

    with tempfile.TemporaryDirectory(prefix="rl_", dir="/tmp") as folder:  # Ray's socket paths may not be long
        found = told_by("judge_leases.py", "--alone", folder, "--size", "16", "--groups", "48", "--reports", "4000")
    return {
        "asking": 1000 * found["cpu"]["scorers"] / found["questions"],
        "report": 1000 * found["cpu_a_report"],
    }


def told_by(script: str, *arguments: str) -> dict[str, Any]:
    """Return what the last line of another benchmark says, as JSON; it runs in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(told.splitlines()[-1])


# --- OpenRLHF's controller


def controller(
    tokens: int, size: int, micro_batch: int, by_tokens: int | None = None, spread: float = 0.0, ranks: int = 8
) -> dict[str, float]:
    """Measure OpenRLHF's own code for a sample: collected as its samples generator does, and made into experience.

    by_tokens: of a micro-batch, in place of `micro_batch` rows, over `ranks`. spread: standard deviation of log-normal
    lengths by their mean; 0: all have `tokens`, of which the longest has four times as many otherwise.
    """
    os.environ.setdefault("DS_ACCELERATOR", "cpu")
    os.environ.setdefault("REWARDLAB_CPU_ENGINE", "1")
    stand_ins = Path(__file__).parent.parent / "plugins" / "openrlhf" / "tests" / "cpu_engine"
    if find_spec("vllm") is None:
        sys.path.insert(0, str(stand_ins))  # for vLLM and flash-attn, which a machine without a GPU has not
    import torch
    from openrlhf.trainer.ppo_utils import experience_maker
    from openrlhf.trainer.ppo_utils.samples_generator import SamplesGenerator

    torch.set_num_threads(1)
    lengths = Lengths(tokens, spread, 4 * tokens)
    sent = [pickle.dumps([response(lengths.draw()) for _ in range(size)]) for _ in range(GROUPS)]
    generator = object.__new__(SamplesGenerator)
    samples: list[Any] = []

    def collect() -> None:
        for message in sent:
            for one in pickle.loads(message):
                samples.append(generator._process_response_into_experience(one, max_len=8 * tokens))

    collecting = cpu_ms(collect) + cpu_ms(lambda: pickle.dumps(samples))
    maker = experience_maker_of(experience_maker, size, micro_batch, by_tokens, ranks)
    handed = pickle.dumps(samples)

    def train() -> None:
        experiences = maker.make_experience_batch(pickle.loads(handed))
        pickle.dumps(experiences)

    training = cpu_ms(train)
    count = GROUPS * size
    return {
        "collect": collecting / count,
        "train": training / count,
        "bytes_sample": sum(map(len, sent)) / count,
    }


class Lengths:
    """Log-normal lengths of completions, cut at the longest; all alike without a spread."""

    def __init__(self, mean: float, spread: float, longest: float):
        self._sigma = math.sqrt(math.log(1 + spread**2))
        self._mu, self._longest = math.log(mean) - self._sigma**2 / 2, longest
        self._rng = random.Random(0)

    def draw(self) -> int:
        """Return the tokens of the next completion."""
        return max(1, round(min(self._longest, self._rng.lognormvariate(self._mu, self._sigma))))


def response(tokens: int) -> dict[str, Any]:
    """Return what an executor returns for a sample, of a prompt of 200 tokens."""
    rng = random.Random(tokens)
    ids = [rng.randrange(150_000) for _ in range(200 + tokens)]
    return {
        "prompt": "How much?",
        "label": '{"ticket": 1}',
        "images": None,
        "mm_train_inputs": None,
        "observation_tokens": ids,
        "action_ranges": [(200, len(ids))],
        "rollout_log_probs": [-rng.random() for _ in ids],
        "truncated": False,
        "reward": rng.random(),
        "scores": rng.random(),
        "extra_logs": {f"reward/{n}": rng.random() for n in range(8)},
    }


def experience_maker_of(module: Any, size: int, micro_batch: int, by_tokens: int | None, ranks: int) -> Any:
    """Return OpenRLHF's experience maker, whose models answer at once: what it sends and gets is pickled."""
    import torch

    group = object()

    class Maker(module.RemoteExperienceMaker):
        def _dispatch_forward(self, to: Any, sync: bool, **batches: Any) -> list[bytes]:
            pickle.dumps(batches)
            return [pickle.dumps(torch.zeros(mask.shape)) for mask in batches["action_mask"]]

        def _flatten_results(self, refs: Any, copies: int) -> list[Any]:
            return [pickle.loads(ref) if isinstance(ref, bytes) else ref for ref in refs]

    module.ray = SimpleNamespace(put=lambda values: [None] * len(values))
    module.logger.setLevel("ERROR")
    args = SimpleNamespace(
        train=SimpleNamespace(dynamic_batch_enable=by_tokens is not None, colocate_all=False, colocate_actor_ref=False),
        actor=SimpleNamespace(num_nodes=1, num_gpus_per_node=ranks),
        rollout=SimpleNamespace(max_tokens_per_gpu=by_tokens, micro_batch_size=micro_batch, n_samples_per_prompt=size),
        ds=SimpleNamespace(ring_attn_size=1, tensor_parallel_size=1),
        algo=SimpleNamespace(
            kl=SimpleNamespace(use_loss=False, estimator="k1"),
            advantage=SimpleNamespace(estimator="dr_grpo", gamma=1.0, lambd=1.0, no_std_norm=True),
        ),
        reward=SimpleNamespace(clip_range=(-10, 10), overlong_buffer_len=None, stop_properly_penalty_coef=None),
    )
    kl = SimpleNamespace(value=0.01)
    strategy, tokenizer = SimpleNamespace(args=args), SimpleNamespace(pad_token_id=0)
    return Maker(group, None, None, group, kl, strategy, tokenizer)
