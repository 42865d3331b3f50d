"""The options under `backend` of a recipe with `use: trl`."""

from typing import TYPE_CHECKING, Literal

from pydantic import NonNegativeInt, PositiveInt
from rewardlab_training import Lora, TrackerOptions

from rewardlab_trl.accelerate_options import AccelerateConfig, count_of
from rewardlab_trl.generation_options import VllmGeneration
from rewardlab_trl.quantization import Quantization

if TYPE_CHECKING:
    from rewardlab.plan import Plan


class Options(TrackerOptions):
    """The options of `backend: {use: trl}`."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    """the device that trains; auto: a GPU if there is one, else the CPU"""
    precision: Literal["fp32", "bf16"] | None = None
    """precision of computing; weights are kept in 32 bits (absent: bf16 on a GPU, fp32 on a CPU)"""
    attention: Literal["eager", "sdpa", "flash_attention_2"] | None = None
    """transformers' attention, in training and sampling (absent: transformers' own choice, sdpa where it can)"""
    gradient_checkpointing: bool = False
    """compute activations again instead of keeping them: less memory, slower"""
    lora: Lora | None = None
    """train adapters in place of the whole model, in every stage (absent: the whole model)"""
    quantization: Quantization | None = None
    """QLoRA: keep the weights under the adapters in 4 bits (absent: in 32)"""
    generation: VllmGeneration | None = None
    """what samples the completions of rl (absent: the model that trains)"""
    processes: PositiveInt | None = None
    """that train a stage together, each with a copy of the model: on its own GPU, or on its part of the CPU's cores
    (absent: one for each of `gpus_per_node`)"""
    accelerate: AccelerateConfig | None = None
    """accelerate's own configuration, as a mapping or the file that `accelerate config` writes: FSDP or DeepSpeed ZeRO
    share the model, several machines train (absent: each process has the whole model)"""
    nodes: PositiveInt = 1
    """several are said by `accelerate`"""
    gpus_per_node: NonNegativeInt | None = None
    """how many GPUs train, a process each (absent: one at most)"""

    @property
    def machines(self) -> int:
        """The number of machines that train a stage together."""
        return count_of(self.accelerate, "num_machines") or 1

    @property
    def ranks(self) -> int:
        """The number of processes that train a stage together."""
        own = self.processes or (self.gpus_per_node or 1) * self.machines
        return count_of(self.accelerate, "num_processes") or own


def options_of(plan: "Plan") -> Options:
    """Return a plan's options under `backend`; the plan's backend must be this one."""
    assert plan.backend is not None
    options: Options = plan.backend.options
    return options
