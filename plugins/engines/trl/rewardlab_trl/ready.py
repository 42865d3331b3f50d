"""The needs of this machine before a run begins: the engine's packages, and the device that the recipe names."""

import sys
from importlib.util import find_spec

from rewardlab import note
from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.registry import pip_install

from rewardlab_trl.accelerate_options import sharding_of
from rewardlab_trl.options import Options, options_of
from rewardlab_trl.ranks import rank_count
from rewardlab_trl.trainer_arguments import device, prepare_process

NEEDED = ("torch", "transformers", "trl", "datasets")


def lacks(options: Options) -> str | None:
    """Return which packages of the engine this environment lacks, and how to install them; None if all are there."""
    needed = NEEDED if options.lora is None else (*NEEDED, "peft")
    if options.generation is not None and find_spec("vllm") is None:
        return "this environment has no vllm, which `generation` asks for; pip install 'trl[vllm]'"
    if options.attention == "flash_attention_2" and find_spec("flash_attn") is None and find_spec("kernels") is None:
        return (
            "this environment has neither flash_attn nor kernels, one of which `attention: flash_attention_2` needs; "
            "pip install flash-attn, or take sdpa"
        )
    if sharding_of(options.accelerate) == "DEEPSPEED" and find_spec("deepspeed") is None:
        return "this environment has no deepspeed, which `accelerate` asks for; pip install deepspeed, or take FSDP"
    if options.quantization is not None and find_spec("bitsandbytes") is None:
        return "this environment has no bitsandbytes, which `quantization` asks for; pip install bitsandbytes"
    missing = [name for name in needed if find_spec(name) is None]
    return f"this environment has no {', '.join(missing)}; {pip_install('trl')}" if missing else None


def refuse_unfit_machine(plan: Plan, first: bool = True) -> None:
    """Raise UserError if a package of the engine is missing, or torch sees no device as the recipe wants it.

    Args:
        first: whether this machine runs the recipe, or one of the others.
    """
    if missing := lacks(options_of(plan)):
        raise UserError(missing, where=plan.document.where(("backend",)))
    if rank_count() > 1:
        problem = f"this is one of {rank_count()} processes that torchrun, accelerate or srun started"
        raise UserError(f"{problem}; start `rewardlab run` once: backend.processes says how many it starts itself")
    if first and (number := (options_of(plan).accelerate or {}).get("machine_rank")):
        where = plan.document.where(("backend", "accelerate"))
        raise UserError(f"this is machine {number}; start `rewardlab join` here, and `run` on machine 0", where=where)
    if "torch" not in sys.modules:
        note("loading torch ...")
    prepare_process()
    if options_of(plan).attention == "flash_attention_2" and device(options_of(plan)) == "cpu":
        raise UserError("backend.attention is flash_attention_2, which needs a GPU, and torch sees none here; use sdpa")
    if sharding_of(options_of(plan).accelerate) == "DEEPSPEED" and device(options_of(plan)) == "cpu":
        raise UserError("backend.accelerate is for DeepSpeed, which runs on GPUs, and torch sees none here; take FSDP")
    _refuse_too_few_gpus(options_of(plan))


def _refuse_too_few_gpus(options: Options) -> None:
    import torch

    where, seen = device(options), torch.cuda.device_count()
    wanted = "gpus_per_node" if options.processes is None else "processes"
    if where == "cpu" and (options.gpus_per_node or 0) > 1:
        raise UserError(
            f"backend.gpus_per_node is {options.gpus_per_node}, and this run trains on the CPU; use processes"
        )
    each = options.ranks // options.machines
    if where == "cuda" and each > seen:
        raise UserError(f"backend.{wanted} is {each}, and torch sees {seen} GPUs: each process trains on its own")
