"""The parts of benchmarks/gpu.py that train: the trl engine's steps by part, a group of one, and a run that goes on."""

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory

from bounded_parts import Rows
from gpu_models import write_policy, write_reward_model

GIB = 2**30
LORA = {"rank": 16, "alpha": 32}
SMALL = {"use": "tiny", "hidden_size": 64, "heads": 2, "intermediate_size": 128}
KILLED = """
import os, signal, sys
from rewardlab_trl.trainer_arguments import prepare_process
prepare_process()
from rewardlab_trl.train import StepCallback
on_step_end = StepCallback.on_step_end
def kill(self, args, state, control, **given):
    on_step_end(self, args, state, control, **given)
    if state.global_step == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
StepCallback.on_step_end = kill
from rewardlab.cli import main
sys.exit(main(sys.argv[2:]))
"""
"""the command line, which kills itself after a step"""


class Clock:
    """The seconds of a training's steps, by part; the GPU has done its work before a time is taken."""

    def __init__(self) -> None:
        self.steps: list[dict[str, float]] = []
        self._now: defaultdict[str, float] = defaultdict(float)
        self._began = 0.0

    def time(self, owner: type, method: str, part: str) -> None:
        """Add to `part` what calls of a method take."""
        call = getattr(owner, method)

        @wraps(call)
        def timed(*arguments, **options):
            began = self._seconds()
            try:
                return call(*arguments, **options)
            finally:
                self._now[part] += self._seconds() - began

        setattr(owner, method, timed)

    def time_steps(self) -> None:
        """Take the times of generating, scoring, and all else of each step of a stage rl."""
        from rewardlab_trl.rl import StepReward, _Trainer
        from rewardlab_trl.train import StepCallback

        self.time(_Trainer, "_generate_single_turn", "generation")
        self.time(StepReward, "__call__", "scoring")
        begin, end = StepCallback.on_train_begin, StepCallback.on_step_end

        def on_train_begin(callback, *arguments, **options):
            self._began = self._seconds()
            return begin(callback, *arguments, **options)

        def on_step_end(callback, *arguments, **options):
            whole = self._seconds() - self._began
            self.steps.append({**self._now, "learning": whole - sum(self._now.values()), "step": whole})
            self._now.clear()
            end(callback, *arguments, **options)
            self._began = self._seconds()

        StepCallback.on_train_begin, StepCallback.on_step_end = on_train_begin, on_step_end

    def _seconds(self) -> float:
        import torch

        if torch.cuda.is_available():
            torch.cuda.synchronize()
        return time.perf_counter()

    def median(self, part: str) -> float:
        """Return the median of the steps after the first, which warms up."""
        return statistics.median(step.get(part, 0.0) for step in self.steps[1:])


def training(rows: Rows, folder: Path, device: str, size, model_reward: bool = False) -> None:
    """Train adapters of a random model, bf16 on a GPU, with a reward of its own text or of a reward model beside it."""
    import torch
    from rewardlab import run
    from rewardlab_trl.trainer_arguments import prepare_process

    prepare_process()
    policy = write_policy(folder / "policy", size.policy)
    stage = {
        "use": "rl",
        "algorithm": "grpo",
        "group_size": size.group,
        "batch_size": size.batch,
        "micro_batch_size": size.micro,
        "steps": size.steps,
        "max_new_tokens": size.tokens,
        "learning_rate": 1e-4,
    }
    components = {"length": {"use": "rollout/tokens", "with": {"most": size.tokens}}}
    if model_reward:
        model = write_reward_model(folder / "judging", size.reward_model)
        components["model"] = {"use": "reward_model/score", "device": device, "with": {"model": str(model)}}
    recipe = _recipe(stage, components, device) | {"model": str(policy)}
    recipe["backend"]["lora"] = LORA
    clock = Clock()
    clock.time_steps()
    if device == "cuda":
        torch.cuda.init()  # what counts memory is there only then
        torch.cuda.reset_peak_memory_stats()
    done = folder / f"training-{model_reward}"
    run(recipe, folder=done, say=print)
    whole = [step["step"] for step in clock.steps]
    asked = f"{size.batch * size.group} completions of at most {size.tokens} tokens"
    for part in ("generation", "scoring", "learning", "step"):
        named = f"all of a step, {asked}" if part == "step" else f"{part} of it"
        rows.add(named, f"{clock.median(part):.3g} s (the first {clock.steps[0].get(part, 0.0):.3g})")
    lines = ledger(done)
    sampled = sum(line["tokens"] for line in lines if line["step"] > 1)
    rows.add("tokens sampled a second of generation", f"{sampled / sum(s['generation'] for s in clock.steps[1:]):,.0f}")
    rows.add("steps", f"{len(whole)}, each with whole groups in the ledger", whole_groups(lines, size))
    rows.add("largest change of a weight", f"{(moved := _moved(policy, done / 'models' / '0-rl')):.2g}", moved > 0)
    _memory(rows, recipe, device)


def _memory(rows: Rows, recipe: dict, device: str) -> None:
    import torch
    from rewardlab.plan import make_plan
    from rewardlab.recipe import load
    from rewardlab_trl.memory import held

    on_a_gpu = recipe | {"backend": recipe["backend"] | {"device": "cuda"}}
    counted = sum(held(make_plan(load(on_a_gpu)), 0).values())
    rows.add("memory that the dry run counts of a GPU, before activations", f"{counted:.3g} GiB", counted > 0)
    if device == "cuda":
        peak = torch.cuda.max_memory_allocated() / GIB
        rows.add("memory of the trainer at its peak", f"{peak:.3g} GiB", peak >= counted)
        rows.add("memory that torch reserved", f"{torch.cuda.max_memory_reserved() / GIB:.3g} GiB")


def processes(rows: Rows, folder: Path, device: str, size) -> None:
    """Let a stage train in a process group of one: NCCL's on a GPU, with the store and the waiting of several."""
    import torch
    import torch.distributed as dist
    from rewardlab import run
    from rewardlab_trl.machines import Machines
    from rewardlab_trl.processes import joined
    from rewardlab_trl.trainer_arguments import prepare_process

    prepare_process()
    recipe, one, kinds = _small(device, steps=3), Machines(1), []
    _note_kind_of_job(kinds)
    os.environ.update(one.variables(0))  # as torchrun tells it; gloo's interface, too
    with TemporaryDirectory() as meeting:
        store = dist.FileStore(str(Path(meeting) / "meeting"), 1)
        with joined(Path(meeting), 0, one, device, store) as group:
            kind = dist.get_backend()
            rows.add("a process group of one", kind, kind == ("nccl" if device == "cuda" else "gloo"))
            numbers = torch.arange(1 << 20, dtype=torch.float32, device=device)
            dist.all_reduce(numbers)
            rows.add("all_reduce of 4 MiB", "the same numbers", bool((numbers.cpu() == torch.arange(1 << 20)).all()))
            message = [{"kept": 1}]
            dist.broadcast_object_list(message, src=0, group=group.group)
            rows.add("objects by the group beside it", dist.get_backend(group.group), message == [{"kept": 1}])
            run(recipe, folder=folder / "grouped", say=print)
    rows.add("a stage trained in it", f"accelerate's {kinds[0]}", kinds[0].startswith("MULTI_"))
    for name in one.variables(0):
        os.environ.pop(name)
    run(recipe, folder=folder / "alone", say=print)
    alone, grouped = ledger(folder / "alone"), ledger(folder / "grouped")
    rows.add("its ledger", f"{len(grouped)} completions", kinds[1] == "NO" and len(alone) == len(grouped) > 0)
    rows.add("the ledger without the group is the same", _same(alone, grouped))


def _note_kind_of_job(kinds: list[str]) -> None:
    """Note what accelerate takes a job for whenever a stage begins to train."""
    from accelerate.state import PartialState
    from rewardlab_trl.train import StepCallback

    begin = StepCallback.on_train_begin

    def on_train_begin(callback, *arguments, **options):
        kinds.append(PartialState().distributed_type.value)
        return begin(callback, *arguments, **options)

    StepCallback.on_train_begin = on_train_begin


def resume(rows: Rows, folder: Path, device: str, size) -> None:
    """Kill a run after a step and let it go on from its checkpoint, beside a run that nothing killed."""
    recipe = folder / "resume.yaml"
    recipe.write_text(json.dumps(_small(device, steps=5, save_every=2)), encoding="utf-8")
    command = [sys.executable, "-m", "rewardlab"]
    subprocess.run([*command, "run", str(recipe), "--run-dir", str(folder / "untouched")], check=True)
    killed = [sys.executable, "-c", KILLED, "3", "run", str(recipe), "--run-dir", str(folder / "killed")]
    code = subprocess.run(killed).returncode
    rows.add("a run that is killed after step 3", f"exit code {code}", code == -signal.SIGKILL)
    subprocess.run([*command, "run", "--resume", str(folder / "killed")], check=True)
    untouched, went_on = ledger(folder / "untouched"), ledger(folder / "killed")
    same_places = Counter(map(_place, untouched)) == Counter(map(_place, went_on))
    rows.add("it goes on: each completion of each step once", f"{len(went_on)} completions", same_places)
    rows.add("the ledger of a run that nothing killed is the same", _same(untouched, went_on))


def _recipe(stage: dict, components: dict, device: str) -> dict:
    return {
        "version": 1,
        "dataset": {"use": "data/arithmetic", "with": {"kind": "prompts"}},
        "reward": {"components": components, "total": " + ".join(components)},
        "stages": [stage],
        "backend": {"use": "trl", "device": device},
    }


def _small(device: str, steps: int, **settings) -> dict:
    """A recipe of a small model that takes seconds anywhere."""
    sizes = {"group_size": 4, "batch_size": 4, "steps": steps, "max_new_tokens": 48, "learning_rate": 1e-3}
    components = {"length": {"use": "rollout/tokens", "with": {"most": 48}}, "format": {"use": "format/boxed"}}
    return _recipe({"use": "rl", "algorithm": "grpo", **sizes, **settings}, components, device) | {"model": SMALL}


def ledger(run: Path) -> list[dict]:
    """Return the lines of a run that count, in the order of their steps and groups."""
    from rewardlab_records.ledger import CurrentSteps

    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]
    current = CurrentSteps(lines)
    return sorted((line for line in lines if line in current), key=lambda line: (line["step"], line["group"]))


def _place(line: dict) -> tuple[int, str, int]:
    return line["step"], line["id"], line["index"]


def _same(ones: list[dict], others: list[dict]) -> str:
    """Return how many completions and totals are the same, in words."""
    keys = ("prompt", "completion", "total", "shaped")
    same = sum(all(one.get(key) == other.get(key) for key in keys) for one, other in zip(ones, others, strict=False))
    return "in all" if same == len(ones) == len(others) else f"in {same} of {max(len(ones), len(others))} completions"


def whole_groups(lines: list[dict], size) -> bool:
    """Return whether each step of a stage has its groups, each whole."""
    found = Counter((line["step"], line["group"]) for line in lines)
    steps = Counter(step for step, _ in found)
    return set(found.values()) == {size.group} and steps == dict.fromkeys(range(1, size.steps + 1), size.batch)


def _moved(before: Path, after: Path) -> float:
    """Return the largest difference between two models' weights of one layer."""
    from safetensors import safe_open

    weights = []
    for folder in (before, after):
        with safe_open(folder / "model.safetensors", framework="pt") as file:
            weights.append(file.get_tensor("model.layers.0.self_attn.q_proj.weight").float())
    return (weights[0] - weights[1]).abs().max().item()
