"""What one completion, one group and one question cost each process of a job on Ray, measured on this machine.

For `scale.py`. CPU seconds of real code: our executor, scorers and coordinator on a real Ray (openrlhf_scoring.py),
OpenRLHF's own controller, with pickles in place of Ray's object store, and verl's (scale_costs_verl.py). What grows
with a completion is measured at two lengths, and is a line through both.
"""

import json
import math
import os
import pickle
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

SPREAD, TOKENS_AT_ONCE = 0.7, 11_768
GROUPS = 32
"""groups of which an engine's part is measured; of ours it is four times as many, for its clocks tick slowly"""
ENGINES, ANNOUNCED = 4, 500


LENGTHS = (1000, 4000)
"""mean tokens of completions, at which costs are measured that grow with them"""


@dataclass(frozen=True)
class Cost:
    """Milliseconds of one CPU for a completion of so many tokens: a fixed part, and one for each thousand tokens."""

    fixed: float
    a_thousand: float

    def of(self, tokens: float) -> float:
        """Return the milliseconds of a completion with so many tokens."""
        return max(0.0, self.fixed + self.a_thousand * tokens / 1000)

    @classmethod
    def through(cls, milliseconds: Mapping[int, float]) -> "Cost":
        """Return the line through two measurements, by tokens; longer ones may cost more than their share."""
        (few, cheap), (many, dear) = sorted(milliseconds.items())
        a_thousand = 1000 * (dear - cheap) / (many - few)
        return cls(dear - a_thousand * many / 1000, a_thousand)


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Milliseconds of one CPU, as last measured (2 cores of an AMD EPYC, Python 3.11; groups of 8).

    What a completion costs is that of quiet cores at 2,000 tokens; how it grows was seen beside other work.
    """

    executor: Cost = Cost(0.4, 0.55)
    """a completion, in a rollout engine's actor"""
    scorer: Cost = Cost(1.3, 2.4)
    """a completion, in a scorer and its workers, its line of the ledger included"""
    asking: float = 0.54
    """a question, in the scorer that asks a judge, groups of 16"""
    coordinator: float = 2.9
    """a group at the coordinator, the two calls for its prompt and its 64 kB of the ledger (0.9)
    included; 4.4 on a busier machine"""
    collect: Cost = Cost(0.9, 0.2)
    """a sample, in OpenRLHF's process that collects a batch"""
    train_rows_of_1: Cost = Cost(3.2, 9.4)
    """a sample, in OpenRLHF's process that makes experience of it and hands it to the ranks, token by token in Python:
    in micro-batches of one row, for log-normal lengths, at most four times their mean"""
    train_by_tokens: Cost = Cost(-3.6, 6.65)
    """the same in micro-batches of up to 11,768 tokens, the default when this was measured (8,192 today)"""
    train_row: float = 2.2
    """a sample of one token, by which nothing is done token by token"""
    verl: Cost = Cost(0.24, 0.163)
    """a sample, in verl's trainer process: what it does with old log-probabilities, and advantages, as tensors"""
    tell: float = 0.53
    """a tensor told to an engine, in the trainer's rank 0: a call of an actor, with its answer"""


def measured(size: int) -> Costs:
    """Measure all that this environment can, and print what it cannot."""
    found: dict[str, Any] = {}
    measures: dict[str, Callable[[int], dict[str, Any]]]
    measures = {
        "the actors": actors,
        "questions": questions,
        "announcements": announcements,
        "OpenRLHF's controller": controllers,
        "verl's trainer": verl_trainers,
    }
    for what, measure in measures.items():
        print(f"measuring {what} ...", file=sys.stderr)
        try:
            found |= measure(size)
        except ImportError as error:
            print(f"{what}: as last measured, for lack of {error.name}", file=sys.stderr)
    return Costs(**found)


def cpu_ms(work: Callable[[], Any]) -> float:
    """Return the milliseconds of CPU that this thread needs for `work`."""
    start = time.thread_time()
    work()
    return 1000 * (time.thread_time() - start)


# --- The actors of a stage on a real Ray


def actors(size: int) -> dict[str, Any]:
    """Measure executor, scorers and coordinator as openrlhf_scoring.py does."""
    import ray  # noqa: F401  (says what is missing)

    found = {}
    for tokens in LENGTHS:
        sizes = ["--groups", str(4 * GROUPS), "--size", str(size), "--tokens", str(tokens)]
        found[tokens] = told_by("openrlhf_scoring.py", "--only", "inline", "--json", *sizes)
    return {
        "executor": Cost.through({tokens: told["an engine's actor"] for tokens, told in found.items()}),
        "scorer": Cost.through({tokens: told["a scorer"] for tokens, told in found.items()}),
        "coordinator": size * found[LENGTHS[-1]]["the coordinator"],
    }


def announcements(_size: int) -> dict[str, float]:
    """Measure what a call of an actor with its answer costs the process that makes it, as rank 0 announces a tensor."""
    import ray

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:

        class Engine:
            def update_weight(self, name: str, dtype: str, shape: tuple[int, ...], empty_cache: bool) -> None:
                """Take the tensor, as vLLM's workers would by NCCL beside this."""

        engines = [ray.remote(Engine).options(num_cpus=0).remote() for _ in range(ENGINES)]

        def announce(count: int) -> None:
            for n in range(count):
                name = f"model.layers.{n}.mlp.down_proj.weight"
                ray.get([one.update_weight.remote(name, "bfloat16", (3584, 18944), n == count - 1) for one in engines])

        announce(10)
        start = time.process_time()  # Ray's own threads of this process included
        announce(ANNOUNCED)
        return {"tell": 1000 * (time.process_time() - start) / (ANNOUNCED * ENGINES)}
    finally:
        ray.shutdown()


def questions(_size: int) -> dict[str, float]:
    """Measure what a question costs the scorers, of groups of 16 in which each completion is asked about 15 times."""
    import ray  # noqa: F401  (says what is missing)

    sizes = ["--groups", str(4 * GROUPS), "--size", "16", "--tokens", "100"]
    return {"asking": told_by("openrlhf_scoring.py", "--only", "judge", "--json", *sizes)["a scorer"] / 15}


def told_by(script: str, *arguments: str) -> dict[str, Any]:
    """Return what the last line of another benchmark says, as JSON; it runs in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(told.splitlines()[-1])


# --- OpenRLHF's controller


def controllers(size: int) -> dict[str, Any]:
    """Measure OpenRLHF's processes for a sample in micro-batches of one row, and by the tokens of the defaults."""
    rows_of_1 = {tokens: controller(tokens, size, micro_batch=1, spread=SPREAD) for tokens in LENGTHS}
    at_once = {"micro_batch": 1, "by_tokens": TOKENS_AT_ONCE}
    by_tokens = {tokens: controller(tokens, size, **at_once, spread=SPREAD) for tokens in LENGTHS}
    return {
        "collect": Cost.through({tokens: found["collect"] for tokens, found in by_tokens.items()}),
        "train_rows_of_1": Cost.through({tokens: found["train"] for tokens, found in rows_of_1.items()}),
        "train_by_tokens": Cost.through({tokens: found["train"] for tokens, found in by_tokens.items()}),
        "train_row": controller(1, size, **at_once)["train"],
    }


def verl_trainers(size: int) -> dict[str, Any]:
    """Measure verl's trainer process for a sample."""
    from scale_costs_verl import verl_trainer

    found = {}
    for tokens in LENGTHS:
        lengths = Lengths(tokens, SPREAD, 4 * tokens)
        found[tokens] = verl_trainer([lengths.draw() for _ in range(GROUPS * size)], size)
    return {"verl": Cost.through(found)}


def controller(
    tokens: int, size: int, micro_batch: int, by_tokens: int | None = None, spread: float = 0.0, ranks: int = 8
) -> dict[str, float]:
    """Measure OpenRLHF's own code for a sample: collected as its samples generator does, and made into experience.

    by_tokens: of a micro-batch, in place of `micro_batch` rows, over `ranks`. spread: standard deviation of log-normal
    lengths by their mean; 0: all have `tokens`, of which the longest has four times as many otherwise.
    """
    os.environ.setdefault("DS_ACCELERATOR", "cpu")
    os.environ.setdefault("REWARDLAB_CPU_ENGINE", "1")
    stand_ins = Path(__file__).parent.parent / "plugins" / "engines" / "openrlhf" / "tests" / "cpu_engine"
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
