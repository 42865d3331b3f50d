"""`rewardlab run` with OpenRLHF on a CPU: what stands in for its GPUs, and what its trainer received."""

import json
from pathlib import Path

from helpers.engine_jobs import Jobs, read_lines

HERE = Path(__file__).parent
ENGINE = HERE / "cpu_engine"
ENVIRONMENT = {
    "REWARDLAB_CPU_ENGINE": "1",
    "DS_ACCELERATOR": "cpu",
    "DS_BUILD_OPS": "0",
    "TORCH_COMPILE_DISABLE": "1",  # OpenRLHF compiles the entropy, which takes a compiler and longer than a job here
    "RAY_OVERRIDE_RESOURCES": '{"CPU": 8, "GPU": 4}',
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_prestart_worker_first_driver": "0",  # not eight processes that import for nothing
    "RAY_enable_metrics_collection": "0",
    "OMP_NUM_THREADS": "1",
    "GOMP_SPINCOUNT": "0",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "PYTHONUNBUFFERED": "1",
}
JOBS = Jobs(ENGINE, ENVIRONMENT)
run, started, ray_environment = JOBS.run, JOBS.started, JOBS.ray_environment


def received(directory: Path, told: Path, stage: int = 0) -> dict[tuple[int, int, str], list[float]]:
    """What OpenRLHF's trainer trained on, by (stage, step, sample id): the advantage of each completion of a group.

    told: the file that REWARDLAB_CPU_ENGINE_RECEIVED named; a line a step, of the first attempt on.
    """
    engine = directory / "engine" / f"{stage}-rl"
    position_of = {fact["ticket"]: fact["position"] for fact in read_lines(engine / "reading_order-0.jsonl")}
    order = json.loads((engine / "order.json").read_text(encoding="utf-8"))
    ids = [row["id"] for row in read_lines(engine / "samples.jsonl")]
    found: dict[tuple[int, int, str], list[float]] = {}
    for step, batch in enumerate(read_lines(told), 1):
        for label, _, (advantage, *_) in batch:
            sample = ids[order[position_of[json.loads(label)["ticket"]]]]
            found.setdefault((stage, step, sample), []).append(advantage)
    return found
