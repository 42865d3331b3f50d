"""What each engine claims in docs/engines.md, and which test shows a line that no job of claimed_jobs.py shows."""

import importlib.util
import re
import sys
from collections.abc import Mapping
from typing import Any

from helpers.paths import ROOT

PAGE = ROOT / "docs" / "engines.md"
TRL, OPENRLHF, VERL = (f"plugins/engines/{name}/tests" for name in ("trl", "openrlhf", "verl"))
SFT_OF = {
    "trl": f"{TRL}/test_run.py",
    "openrlhf": f"{OPENRLHF}/test_end_to_end_training.py",
    "verl": f"{VERL}/test_end_to_end.py",
}
ADAPTERS = f"{TRL}/test_preferences_and_adapters.py"
RATES = f"{TRL}/test_training.py::test_of_the_learning_rate"
NO_GPU = "no job: it takes a GPU; its arguments are held against the engine's own"
SETTING = "no job: the setting is held against the engine's own"
ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "`sampler`": {"trl": f"{TRL}/test_training.py", "openrlhf": f"{OPENRLHF}/test_end_to_end_sampling.py"},
    "`reward.teach: {flat: drop}`": {"trl": f"{TRL}/test_training.py"},
    "`reward.teach: {flat: replace}`": {
        "openrlhf": f"{OPENRLHF}/test_end_to_end_variants.py::test_production_flags",
        "verl": f"{VERL}/test_replaced_groups.py",
    },
    "the policy as a judge (`policy/self`)": {
        "trl": f"{TRL}/test_policy_judge.py",
        "openrlhf": f"{OPENRLHF}/test_service.py",
    },
    "functions that the policy calls (`agent.tools`)": {
        "trl": f"{TRL}/test_agent.py",
        "verl": f"{VERL}/test_agent.py",
    },
    "an environment with tools (`agent.use`)": {"trl": f"{TRL}/test_agent.py"},
    "`data`": dict.fromkeys(("trl", "openrlhf", "verl"), "plugins/engines/training/tests/test_data_stage.py"),
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
        "verl": f"{VERL}/test_checkpoints.py::test_the_model_of_a_stage_with_adapters_loads_without_them",
    },
    "adapters in `dpo`": {"trl": ADAPTERS, "openrlhf": f"{OPENRLHF}/test_end_to_end_variants.py::test_dpo"},
    "adapters in `rl`": {
        "trl": ADAPTERS,
        "verl": f"{VERL}/test_claimed_jobs.py::test_adapters_in_rl_learn_and_are_merged",
    },
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


def claims(engine: str) -> dict[str, list[str]]:
    """Return the lines of docs/engines.md, by section, of which an engine says yes."""
    claimed: dict[str, list[str]] = {}
    for title, section in re.findall(r"^## (.+)\n\n((?:\|.*\n)+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        heads, _, *lines = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines())
        column = heads.index(engine)
        claimed[title] = [line[0] for line in lines if line[column].removesuffix("|").strip() == "yes"]
    return claimed


def overrides_of(label: str) -> tuple[str, ...]:
    """Return what a line of a stage rl says in a recipe."""
    overrides: tuple[str, ...] = next(rows[label] for rows in _page().ROWS.values() if label in rows)
    return overrides


def _page() -> Any:
    """Return the module that writes the page, which is a test and in no package: it has the lines' settings."""
    path = ROOT / "tests" / "docs" / "test_engines_page.py"
    if path.stem not in sys.modules:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[path.stem])
    return sys.modules[path.stem]
