"""A job for what an engine claims: each line of docs/engines.md about a stage rl, run as a recipe of all difficulties.

Its reward looks at whole groups, weighs a component by `progress`, and has one that fails, whose completions have no
total and no vote; groups are flat, completions cut, and a step takes several updates and passes, so that ratios differ.
"""

import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rewardlab.recipe import RlStage, load
from rewardlab_testing.backend_laws.ledger import read_rows

from helpers.losses import Averages, Differences, differences
from helpers.paths import ROOT

RECIPE = """
version: 1
seed: 1
model: MODEL
dataset: {use: toy/counting, with: {rows: 24}}
reward:
  components:
    letters: {use: toy/letters}
    longest: {use: toy/longest}
    accuracy: {use: math/accuracy}
    faulty: {use: toy/faulty, with: {how: fail, when: " "}, on_missing: zero_advantage, max_missing: 1}
  total: (1 + progress) * letters + 0.1 * longest + 0.5 * accuracy + faulty
stages: [{use: rl, algorithm: grpo}]
backend: BACKEND
"""
SIZES = (
    "stages.0.group_size=4",
    "stages.0.batch_size=4",
    "stages.0.steps=2",
    "stages.0.max_new_tokens=8",
    "stages.0.learning_rate=1.0e-2",
    "stages.0.warmup_steps=0",
)
PAGE = ROOT / "docs" / "engines.md"
SECTIONS = ("How rewards become advantages", "Papers by name", "The loss", "Groups", "Sampling")
"""of the page: what a job of this kind can show"""
TRL, OPENRLHF, VERL = (f"plugins/{name}/tests" for name in ("trl", "openrlhf", "verl"))
SFT_OF = {
    "trl": f"{TRL}/test_run.py",
    "openrlhf": f"{OPENRLHF}/test_end_to_end_training.py",
    "verl": f"{VERL}/test_end_to_end.py",
}
ADAPTERS = f"{TRL}/test_preferences_and_adapters.py"
RATES = f"{TRL}/test_training.py::test_of_the_learning_rate"
NO_GPU = "no job: it takes a GPU; its arguments are held against the engine's own"
SETTING = "no job: the setting is held against the engine's own"
ELSEWHERE: dict[str, dict[str, str]] = {
    "`sampler`": {"trl": f"{TRL}/test_training.py", "openrlhf": f"{OPENRLHF}/test_end_to_end_sampling.py"},
    "the policy as a judge (`policy/self`)": {
        "trl": f"{TRL}/test_policy_judge.py",
        "openrlhf": f"{OPENRLHF}/test_service.py",
    },
    "functions that the policy calls (`agent.tools`)": {
        "trl": f"{TRL}/test_agent.py",
        "verl": f"{VERL}/test_agent.py",
    },
    "an environment with tools (`agent.use`)": {"trl": f"{TRL}/test_agent.py"},
    "`data`": dict.fromkeys(("trl", "openrlhf", "verl"), "plugins/training/tests/test_data_stage.py"),
    "`sft`": SFT_OF,
    "`rl`": SFT_OF,
    "`dpo`": {"trl": ADAPTERS, "openrlhf": f"{OPENRLHF}/test_end_to_end_variants.py::test_dpo"},
    "`eval`": {
        "trl": f"{TRL}/test_run.py::test_eval_scores_the_model_as_it_is",
        "verl": f"{VERL}/test_end_to_end.py::test_a_stage_eval_measures_the_model_as_it_is",
    },
    "`arguments` of a stage": {"trl": f"{TRL}/test_losses.py"},
    "`schedule: cosine`": {"trl": RATES, "openrlhf": SETTING, "verl": SETTING},
    "`schedule: linear`": {"trl": RATES, "openrlhf": SETTING},
    "`keep: best` of `sft`": {
        "trl": f"{TRL}/test_best_checkpoint.py",
        "openrlhf": f"{OPENRLHF}/test_end_to_end_best.py",
    },
    "adapters (`lora`) in `sft`": {
        "trl": ADAPTERS,
        "openrlhf": f"{OPENRLHF}/test_adapters.py",
        "verl": f"{VERL}/test_checkpoints.py::test_the_model_of_the_shards_is_the_one_that_verl_writes",
    },
    "adapters in `dpo`": {"trl": ADAPTERS, "openrlhf": f"{OPENRLHF}/test_end_to_end_variants.py::test_dpo"},
    "adapters in `rl`": {"trl": ADAPTERS, "verl": NO_GPU},
    "adapters over weights in 4 bits (QLoRA)": {"trl": f"{TRL}/test_quantization.py"},
    "`attention: sdpa`": {
        "trl": f"{TRL}/test_run.py",
        "openrlhf": f"{OPENRLHF}/test_end_to_end_training.py",
        "verl": SETTING,
    },
    "`precision: fp32`": {"trl": f"{TRL}/test_run.py"},
    "`precision: bf16`": {
        "trl": SETTING,
        "openrlhf": f"{OPENRLHF}/test_end_to_end_training.py",
        "verl": f"{VERL}/test_losses.py::test_ppos_values_returns_and_advantages_with_a_penalty_in_the_reward",
    },
    "a model shared by FSDP": {"trl": f"{TRL}/test_accelerate.py", "verl": f"{VERL}/test_end_to_end.py"},
    "a model shared by DeepSpeed ZeRO 3": {
        "trl": SETTING,
        "openrlhf": f"{OPENRLHF}/test_end_to_end_variants.py::test_production_flags",
    },
    "several GPUs of a machine": {
        "trl": f"{TRL}/test_processes.py",
        "openrlhf": f"{OPENRLHF}/test_end_to_end_variants.py::test_production_flags",
        "verl": f"{VERL}/test_cluster.py",
    },
    "several nodes": {
        "trl": f"{TRL}/test_accelerate.py",
        "openrlhf": f"{OPENRLHF}/test_cluster.py",
        "verl": f"{VERL}/test_cluster.py",
    },
    "engines on GPUs of their own": {
        "trl": NO_GPU,
        "openrlhf": f"{OPENRLHF}/test_end_to_end_variants.py::test_ppo_with_a_critic_while_generation_runs_ahead",
    },
    **{f"`{name}`": {"verl": NO_GPU} for name in ("max_num_seqs", "max_num_batched_tokens", "quantization")},
}
"""a line whose job is of another kind -> a test of it for each engine that takes it, or why no job runs it"""
ENDS = "stages.0.stop=['a', 'e', 'o', 's', 't']"
ACTING = {
    "`on_truncated: zero`": (ENDS,),
    "`on_truncated: mask`": (ENDS,),
    "`dual_clip: 3`": ("stages.0.clip=[0.001, 0.002]", "stages.0.dual_clip=1.004"),
    "`dual_clip: 3` with GSPO": ("stages.0.clip=[0.001, 0.002]", "stages.0.dual_clip=1.004"),
    "`kl.sync_every`": ("stages.0.kl={coef: 0.01, sync_every: 1}",),
}
"""a line -> what it says with numbers by which it does something in so small a job"""


def page() -> Any:
    """Return the module that writes the page, which is a test and in no package: it has the lines' settings."""
    path = ROOT / "tests" / "docs" / "test_engines_page.py"
    if path.stem not in sys.modules:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[path.stem])
    return sys.modules[path.stem]


def each_job(engine: str) -> list[str]:
    """Return the lines of the page's sections that an engine takes."""
    return [label for section in SECTIONS for label in claims(engine)[section] if label not in ELSEWHERE]


def claims(engine: str) -> dict[str, list[str]]:
    """Return the lines of docs/engines.md, by section, of which an engine says yes."""
    found: dict[str, list[str]] = {}
    for title, section in re.findall(r"^## (.+)\n\n((?:\|.*\n)+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        heads, _, *lines = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines())
        column = heads.index(engine)
        found[title] = [line[0] for line in lines if line[column].removesuffix("|").strip() == "yes"]
    return found


def run_job(
    engine: str,
    label: str,
    folder: Path,
    model: object,
    backend: dict,
    run: Callable[[Path, Sequence[str], dict[str, str]], Path],
    averages: Averages,
    micro: int = 8,
) -> Differences:
    """Run the job of a line, tell its numbers to REWARDLAB_DIFFERENCES, and return them.

    run: runs a recipe with overrides and environment variables, and returns the folder of the run.
    """
    said = next(rows[label] for rows in page().ROWS.values() if label in rows)
    said = (said[engine],) if isinstance(said, dict) else said
    updates = () if "updates_per_batch" in label else ("stages.0.updates_per_batch=2", "stages.0.epochs_per_batch=2")
    overrides = [*said, *SIZES, *updates, f"stages.0.micro_batch_size={micro}", *ACTING.get(label, ())]
    path, told = folder / "recipe.yaml", folder / "losses.jsonl"
    path.write_text(RECIPE.replace("MODEL", str(model)).replace("BACKEND", json.dumps(backend)), encoding="utf-8")
    directory = run(path, overrides, {"REWARDLAB_LOSSES": str(told)})
    resolved = load(directory / "recipe.resolved.yaml").tree
    stage = RlStage.model_validate(resolved["stages"][0])
    uses = [one if isinstance(one, str) else one["use"] for one in resolved["reward"].get("normalize") or []]
    normalized = uses[0].partition("/")[2] if uses else ""
    found = differences(told, list(read_rows(directory)), stage, normalized, averages)
    if path := os.environ.get("REWARDLAB_DIFFERENCES"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{json.dumps({'engine': engine, 'line': label, **asdict(found)})}\n")
    return found
