"""A stage's memory on a GPU, by arithmetic: what is there before the first row. Activations and caches come on top.

Weights are in float32, and so are gradients and AdamW's two averages of what trains. With bf16, layers compute with
copies, which a backward pass needs until its end. The logits are made in pieces, and count as activations.
"""

from collections.abc import Iterator, Mapping

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage, TinyModel
from rewardlab_training import Lora, ModelSize, model_size

from rewardlab_trl.options import Options, options_of

GIB = 2**30
FP32, BF16, TRAINED = 4, 2, 12
"""bytes a parameter: a weight, its copy, and the gradient with both averages"""


def held(plan: Plan, index: int) -> Mapping[str, float]:
    """Return the GiB of a stage's models on a GPU, by what they are for; nothing where that is not known.

    That is so for a model whose config.json is not here, a tiny one, weights in 4 bits, and sharding.
    """
    options, stage, model = options_of(plan), plan.recipe.stages[index], plan.recipe.model
    if options.quantization is not None or options.accelerate is not None or isinstance(model, TinyModel):
        return {}
    if options.device == "cpu" or (size := model_size(model)) is None:
        return {}
    whole, lora = size.parameters / GIB, options.lora
    learns = whole if lora is None else adapters(lora, size) / GIB
    parts = {"weights": FP32 * whole, "gradients and averages": TRAINED * learns}
    if lora is not None:
        parts["adapters"] = FP32 * learns
    elif isinstance(stage, DpoStage) or (isinstance(stage, RlStage) and stage.kl.coef):
        parts["reference"] = FP32 * whole
    if _computes_in_bf16(options):
        parts["copies in bf16"] = BF16 * whole
    return parts


def adapters(lora: Lora, size: ModelSize) -> int:
    """Return the parameters of a model's adapters: two matrices beside each layer that has one."""
    targets = size.linear if lora.targets == ["all-linear"] else lora.targets
    return lora.rank * sum(size.linear.get(target, 0) for target in targets)


def _computes_in_bf16(options: Options) -> bool:
    return options.precision in (None, "bf16") and not options.gradient_checkpointing


def memory_line(plan: Plan, index: int) -> Iterator[str]:
    """Yield the arithmetic of a stage for a dry run; nothing where it is not known."""
    if parts := held(plan, index):
        each = ", ".join(f"{name} {gib:.2g}" for name, gib in parts.items())
        yield f"memory of a GPU in GiB, by arithmetic: {each}; activations and caches come on top"
