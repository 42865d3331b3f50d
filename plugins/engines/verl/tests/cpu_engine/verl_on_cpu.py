"""Stand-ins for what verl 0.9.1 has of a GPU, through its own registries: a platform, the trainer's engine, a rollout.

verl imports this module in each of its processes (VERL_USE_EXTERNAL_MODULES), before its own submodules: what they
register themselves in is patched once they are imported.
"""

import importlib.abc
import importlib.util
import json
import os
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import torch
from verl.plugin.platform.platform_base import PlatformBase
from verl.plugin.platform.platform_manager import PlatformRegistry

ROLLOUT = "hf_cpu"
TOLD = ("token_level_scores", "token_level_rewards", "old_log_probs", "ref_log_prob", "values", "returns", "advantages")


def _device_module() -> types.ModuleType:
    """Return what torch.cuda is on a GPU, for a CPU."""
    module = types.ModuleType("torch_on_cpu")
    nothing: Callable[..., None] = lambda *_, **__: None  # noqa: E731
    for name in ("set_device", "synchronize", "empty_cache", "ipc_collect", "reset_peak_memory_stats"):
        setattr(module, name, nothing)
    for name in ("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved"):
        setattr(module, name, lambda *_, **__: 0)
    module.set_per_process_memory_fraction = nothing
    module.current_device, module.device_count, module.is_available = (lambda: 0), (lambda: 1), (lambda: True)
    module.is_bf16_supported = lambda *_, **__: True
    module.mem_get_info = lambda *_, **__: (8 << 30, 16 << 30)
    module.get_device_name = lambda *_, **__: "cpu"
    module.manual_seed = module.manual_seed_all = torch.manual_seed
    module.get_rng_state = lambda *_, **__: torch.get_rng_state()
    module.set_rng_state = lambda state, *_, **__: torch.set_rng_state(state)
    module.Stream = torch.cpu.Stream
    return module


DEVICE_MODULE = _device_module()


@PlatformRegistry.register(platform="cpu")
class PlatformCPU(PlatformBase):
    """A platform without an accelerator; Ray is told of GPUs that are none."""

    device_name = property(lambda self: "cpu")
    vendor_name = property(lambda self: "cpu")
    device_module = property(lambda self: DEVICE_MODULE)

    def is_available(self) -> bool:
        return True

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        return True

    def current_device(self) -> str:
        return "cpu"

    def device_count(self) -> int:
        return 1

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    manual_seed_all = manual_seed

    def get_device_capability(self, index: int = 0) -> tuple[None, None]:
        return None, None

    def communication_backend_name(self) -> str:
        return "gloo"

    def visible_devices_envvar(self) -> str:
        return "CUDA_VISIBLE_DEVICES"

    @contextmanager
    def nvtx_range(self, message: str) -> Iterator[None]:
        yield

    def ray_resource_name(self) -> str:
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        return []

    def is_ipc_supported(self) -> bool:
        return False

    def _nothing(self, *_: Any, **__: Any) -> None:
        return None

    set_device = synchronize = set_allocator_settings = empty_cache = profiler_start = profiler_stop = cudart = _nothing


def _register_rollout() -> None:
    from verl.workers.rollout import base
    from verl.workers.rollout.replica import RolloutReplicaRegistry

    base._ROLLOUT_REGISTRY[(ROLLOUT, "async")] = "rollout_on_cpu.WeightSender"

    def load() -> Any:
        from rollout_on_cpu import Replica

        return Replica

    RolloutReplicaRegistry.register(ROLLOUT, load)


def _register_engine() -> None:
    from verl.utils import fsdp_utils
    from verl.workers.engine.base import EngineRegistry
    from verl.workers.engine.fsdp import transformer_impl as fsdp

    for kind, engine in (("language_model", fsdp.FSDPEngineWithLMHead), ("value_model", fsdp.FSDPEngineWithValueHead)):
        if "cpu" not in EngineRegistry._engines[kind]["fsdp2"]:
            EngineRegistry.register(model_type=kind, backend=["fsdp", "fsdp2"], device="cpu")(engine)
    # of a reference, which waits in memory that is pinned for a GPU
    fsdp.CPUOffloadPolicy = lambda pin_memory: fsdp_utils.CPUOffloadPolicy(pin_memory=False)


def _attend_without_flash_attention() -> None:
    """Put eager in the place of FlashAttention, which needs a GPU, and which verl gives to every critic."""
    from transformers import PreTrainedModel

    adjust = PreTrainedModel._check_and_adjust_attn_implementation

    def adjusted(self: Any, attn_implementation: str | None, *arguments: Any, **more: Any) -> str:
        eager = "eager" if attn_implementation == "flash_attention_2" else attn_implementation
        return adjust(self, eager, *arguments, **more)

    PreTrainedModel._check_and_adjust_attn_implementation = adjusted


def _look_often() -> None:
    from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

    waits = ReplayBuffer._wait_for_next_poll

    def soon(self: Any, *arguments: Any) -> Any:
        self.poll_interval = 0.1  # of 2 s, which is all that most steps of a tiny model take
        return waits(self, *arguments)

    ReplayBuffer._wait_for_next_poll = soon


def _tell_batches() -> None:
    """Have the trainer write what it trains on to the file that REWARDLAB_CPU_ENGINE_RECEIVED names: a line a step.

    [{"group": name, "member": number, ids of both texts, and each tensor that verl's own trainer made, by token}, ...]
    """
    from verl.trainer.ppo.v1 import trainer_base

    if not (path := os.environ.get("REWARDLAB_CPU_ENGINE_RECEIVED")):
        return
    compute = trainer_base.compute_advantage_for_multi_trajectories

    def told(data: Any, batch_keys: list[str], **more: Any) -> Any:
        made = compute(data, batch_keys=batch_keys, **more)
        texts = trainer_base.tq.kv_batch_get(batch_keys, partition_id="train", select_fields=["prompts", "responses"])
        received = []
        for row, key in enumerate(batch_keys):
            group, member, _ = key.rsplit("_", 2)
            ids = {name: texts[name][row].tolist() for name in ("prompts", "responses")}
            there = made.batch["response_mask"][row].bool()
            tokens = {name: value[row][there].tolist() for name, value in made.batch.items() if name in TOLD}
            own = made.batch["response_mask"][row].int().tolist()[: len(ids["responses"])]
            received.append({"group": group, "member": int(member), **ids, "own": own, **tokens})
        with open(path, "a") as file:
            file.write(json.dumps(received) + "\n")
        return made

    trainer_base.compute_advantage_for_multi_trajectories = told


def _tell_losses() -> None:
    """Have the policy's loss write what it got to the file that REWARDLAB_LOSSES names (tests/helpers/losses.py)."""
    from verl.workers.utils import losses

    if not (path := os.environ.get("REWARDLAB_LOSSES")):
        return
    compute = losses.ppo_loss
    names = {"advantages": "advantages", "old_log_probs": "old", "ref_log_prob": "reference"}

    def told(config: Any, model_output: Any, data: Any, dp_group: Any = None) -> Any:
        loss, metrics = compute(config, model_output, data, dp_group)
        padded = data.select("response_mask", *(name for name in names if name in data)).to_padded_tensor()
        tensors = {own: padded[name] for name, own in names.items() if name in data}
        for name, own in (("log_probs", "new"), ("entropy", "entropies")):
            if model_output.get(name) is not None:
                tensors[own] = losses.no_padding_2_padding(model_output[name], data)
        masks = padded["response_mask"].bool()
        rows = [{own: of[row][mask].tolist() for own, of in tensors.items()} for row, mask in enumerate(masks)]
        with open(path, "a") as file:
            file.write(json.dumps({"loss": loss.item(), "rows": [row for row in rows if row["new"]]}) + "\n")
        return loss, metrics

    losses.ppo_loss = told


class _OnceImported(importlib.abc.MetaPathFinder):
    """Calls a function once a module of verl has been imported."""

    calls: ClassVar[dict[str, Callable[[], None]]] = {
        "verl.workers.rollout.replica": _register_rollout,
        "verl.workers.engine": _register_engine,
        "verl.utils.model": _attend_without_flash_attention,
        "verl.trainer.ppo.v1.replay_buffer": _look_often,
        "verl.trainer.ppo.v1.trainer_base": _tell_batches,
        "verl.workers.utils.losses": _tell_losses,
    }

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.calls:
            return None
        call = self.calls.pop(name)
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        assert spec is not None
        execute = spec.loader.exec_module

        def run(module: Any) -> None:
            execute(module)
            call()

        spec.loader.exec_module = run
        return spec


sys.meta_path.insert(0, _OnceImported())

_init_process_group = torch.distributed.init_process_group


def _gloo_once(backend: str | None = None, *arguments: Any, **more: Any) -> Any:
    """Begin a process group; verl names a backend for the CPU and one for its device, which torch refuses if equal."""
    return _init_process_group("gloo" if backend == "cpu:gloo,cpu:gloo" else backend, *arguments, **more)


torch.distributed.init_process_group = _gloo_once
