"""`rewardlab run` with verl on a CPU: what stands in for its GPUs."""

from pathlib import Path

from helpers.engine_jobs import Jobs

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
    "reward_workers": 2,
    "arguments": {
        "trainer.device": "cpu",
        "transfer_queue.backend.SimpleStorage.num_data_storage_units": 1,
        "actor_rollout_ref.actor.use_torch_compile": False,
        "actor_rollout_ref.actor.fsdp_config.use_torch_compile": False,
    },
}
JOBS = Jobs(HERE / "cpu_engine", ENVIRONMENT)
run, started, ray_environment = JOBS.run, JOBS.started, JOBS.ray_environment
