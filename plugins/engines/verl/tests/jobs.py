"""`rewardlab run` with verl on a CPU: what stands in for its GPUs."""

import json
from pathlib import Path

from helpers.engine_jobs import Jobs, read_lines
from helpers.recorded_groups import recorded_groups

HERE = Path(__file__).parent
ENVIRONMENT = {
    "VERL_PLATFORM": "cpu",
    "VERL_USE_EXTERNAL_MODULES": "verl_on_cpu",
    "REWARDLAB_CPU_ENGINE_TOKENS": "56",
    "TORCH_COMPILE_DISABLE": "1",  # it takes a compiler, and longer than a job here
    "RAY_OVERRIDE_RESOURCES": '{"CPU": 16, "GPU": 1}',
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_prestart_worker_first_driver": "0",  # not sixteen processes that import for nothing
    "RAY_enable_metrics_collection": "0",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HYDRA_FULL_ERROR": "1",
    "PYTHONUNBUFFERED": "1",
}
ON_CPU = {  # what a recipe says under backend.engine
    "rollout": "hf_cpu",
    "packing": False,
    "attention": "eager",
    "agent_workers": 1,
    "reward_workers": 1,
    "sft_arguments": {"trainer.device": "cpu"},
    "arguments": {
        "trainer.device": "cpu",
        "transfer_queue.backend.SimpleStorage.num_data_storage_units": 1,
        "actor_rollout_ref.actor.use_torch_compile": False,
        "actor_rollout_ref.actor.fsdp_config.use_torch_compile": False,
    },
}
LAWS_RECIPE = """
version: 1
seed: 1
model: MODEL
dataset: {use: toy/counting, with: {rows: 32}}
reward:
  components:
    letters: {use: toy/letters}
    longest: {use: toy/longest}
    accuracy: {use: math/accuracy, workers: 1}
  total: letters + 0.1 * longest + accuracy
stages:
  - use: rl
    algorithm: grpo
    group_size: 4
    batch_size: 2
    micro_batch_size: 8
    steps: 3
    max_new_tokens: 8
    save_every: 1
backend: {use: verl, gpus_per_node: 1, precision: fp32, engine: ENGINE}
"""

AT_NIGHT = ("whole", "scores", "masked", "taught", "stop", "failures")
"""laws that cost a job or two; what `whole`, `scores` and `masked` ask, test_equal_rewards.py asks in part, and a stop
goes the way of Ctrl-C, which `resume` tries"""
JOBS = Jobs(HERE / "cpu_engine", ENVIRONMENT)
run, started, ray_environment = JOBS.run, JOBS.started, JOBS.ray_environment


def laws_recipe(model: Path) -> str:
    """The recipe by which verl is under the laws."""
    return LAWS_RECIPE.replace("MODEL", str(model)).replace("ENGINE", json.dumps(ON_CPU))


def batches(told: Path) -> list[list[dict]]:
    """What verl's trainer trained on, of each step the completions: their group, member, and tensors by token.

    told: the file that REWARDLAB_CPU_ENGINE_RECEIVED named; verl's own rows, which fill a batch up, are left out.
    """
    return [
        sorted(
            (row for row in batch if not row["group"].startswith("pad")), key=lambda row: (row["group"], row["member"])
        )
        for batch in read_lines(told)
    ]


def received(directory: Path, told: Path, stage: int = 0) -> dict[tuple[int, int, str], list[float]]:
    """What verl's trainer trained on, by (stage, step, sample id): the advantage of each completion of a group.

    told: as in `batches`; it begins with the first attempt, and has other runs before this one.
    """
    sample_of = {key: rows[0]["id"] for key, rows in recorded_groups(directory, stage).items()}
    found: dict[tuple[int, int, str], list[float]] = {}
    own = [batch for batch in batches(told) if batch[0]["group"] in sample_of]
    for step, batch in enumerate(own, 1):
        for row in batch:
            found.setdefault((stage, step, sample_of[row["group"]]), []).append(row["advantages"][0])
    return found
