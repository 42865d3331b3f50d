"""A model that the processes share by FSDP or DeepSpeed, as accelerate does it: how it is told, and the whole again."""

import os
from collections.abc import Mapping
from tempfile import TemporaryDirectory
from typing import Any

from rewardlab_trl.accelerate_options import SHARDING, section_of, sharding_of
from rewardlab_trl.options import Options, options_of

PASSED = ("FSDP_", "ACCELERATE_USE_FSDP", "ACCELERATE_USE_DEEPSPEED", "ACCELERATE_DEEPSPEED_", "ACCELERATE_CONFIG_DS_")
"""the variables of `accelerate launch` that say how a model is shared; the rest is the recipe's"""
OWN: dict[str, dict[str, Any]] = {
    "FSDP": {"fsdp_version": 2, "fsdp_cpu_ram_efficient_loading": False},
    "DEEPSPEED": {"zero3_init_flag": False},
}
"""what is set where the configuration says nothing: each process reads the whole model before it is shared"""


def launch_variables(options: Options) -> Mapping[str, str]:
    """Return the variables by which `accelerate launch` would tell a script how its model is shared."""
    config = options.accelerate
    kind = sharding_of(config)
    if config is None or kind is None:
        return {}
    import yaml
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser
    from accelerate.utils.launch import prepare_deepspeed_cmd_env, prepare_multi_gpu_env

    variables = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": kind,
        "num_processes": options.ranks,
        "mixed_precision": "no",
        "main_process_port": 0,
        SHARDING[kind]: OWN[kind] | section_of(config),
    }
    with TemporaryDirectory(prefix="rewardlab-") as folder:
        path = os.path.join(folder, "accelerate.yaml")
        with open(path, "w", encoding="utf-8") as file:
            yaml.safe_dump(variables, file)
        args, _, _ = _validate_launch_command(launch_command_parser().parse_args(["--config_file", path, "script"]))
    args.deepspeed_fields_from_accelerate_config = ",".join(section_of(config))  # as its command sets it
    made = prepare_multi_gpu_env(args) if kind == "FSDP" else prepare_deepspeed_cmd_env(args)[1]
    return {name: value for name, value in made.items() if name.startswith(PASSED)}


def allow_on_cpu(arguments: Any) -> None:
    """Let accelerate share a model by FSDP without GPUs, too, which PyTorch can: to try a recipe before it costs."""
    if os.environ.get("ACCELERATE_USE_FSDP") == "true" and arguments.use_cpu:
        from accelerate.utils import DistributedType

        arguments.distributed_state.distributed_type = DistributedType.MULTI_GPU


def sample_in_step(model: Any) -> None:
    """Let all processes generate until each has ended: for every token they put the weights together."""
    model._is_fsdp_managed_module = True  # what transformers' `generate` asks; accelerate does not set it


def whole_weights(trainer: Any) -> Mapping[str, Any]:
    """Return the weights of a shared model in the first process, and nothing in the others. All must call it."""
    weights: Mapping[str, Any] = trainer.accelerator.get_state_dict(trainer.model_wrapped)
    return weights


def is_shared(job: Any) -> bool:
    """Return whether the processes of a stage share its model."""
    return sharding_of(options_of(job.plan).accelerate) is not None
