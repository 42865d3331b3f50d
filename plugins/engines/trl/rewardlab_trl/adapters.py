"""LoRA adapters, by peft: trained in place of the model's weights, and merged into them at a stage's end."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rewardlab.errors import UserError
from rewardlab_training import StageJob

from rewardlab_trl.options import options_of
from rewardlab_trl.quantization import in_full_precision


def peft_config(job: StageJob, model: Any) -> Any:
    """Return peft's settings of the adapters that a trainer is to add to `model`; None without adapters.

    Raises UserError for a target that is not a linear layer in the model: peft passes over it if another one fits.
    """
    lora = options_of(job.plan).lora
    if lora is None:
        return None
    from peft import LoraConfig, TaskType

    if lora.targets != ["all-linear"]:
        _refuse_other_layers(job, lora.targets, model)
    return LoraConfig(
        task_type=TaskType.CAUSAL_LM,
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules="all-linear" if lora.targets == ["all-linear"] else lora.targets,
    )


def with_adapters(job: StageJob, model: Any) -> Any:
    """Return the model with the adapters that a trainer would add to it; without adapters the model."""
    settings = peft_config(job, model)
    if settings is None:
        return model
    from peft import get_peft_model

    return get_peft_model(model, settings)


def restore_adapter_dropout(job: StageJob, model: Any) -> None:
    """Give adapters their dropout back, which DPOTrainer sets to 0 with the model's own."""
    lora = options_of(job.plan).lora
    if lora is None or not lora.dropout:
        return
    for module in model.modules():
        for dropout in getattr(module, "lora_dropout", {}).values():
            dropout.p = lora.dropout


def merge_adapters(model: Any) -> Any:
    """Add what the adapters have learnt to the weights of the model that they are in, and return that.

    Quantized weights are first made whole, as adding to 4 bits would round away what was learnt. Without adapters
    return the model as it is.
    """
    if not hasattr(model, "merge_and_unload"):
        return model
    if not is_quantized(model):
        return model.merge_and_unload()
    with TemporaryDirectory(prefix="rewardlab-") as folder:
        model.save_pretrained(folder)
        return load_adapters(model.unload(), Path(folder))


def load_adapters(model: Any, checkpoint: Path) -> Any:
    """Add the adapters of a checkpoint to the weights of the model that they were trained on, and return that."""
    from peft import PeftModel

    whole = in_full_precision(model) if is_quantized(model) else model
    return PeftModel.from_pretrained(whole, str(checkpoint)).merge_and_unload()


def is_quantized(model: Any) -> bool:
    """Return whether a model's linear layers are kept in 4 bits."""
    return bool(getattr(model, "is_loaded_in_4bit", False))


def _refuse_other_layers(job: StageJob, targets: Sequence[str], model: Any) -> None:
    layers = _linear_layers(model)
    for target in targets:
        if not any(f".{layer}".endswith(f".{target}") for layer in layers):
            names = ", ".join(sorted({layer.rpartition(".")[2] for layer in layers}))
            where = job.plan.document.where(("backend", "lora", "targets"))
            raise UserError(f"{target!r} is not a linear layer inside the model; there are {names}", where=where)


def _linear_layers(model: Any) -> list[str]:
    """Return the names of the layers that all-linear means: without the last, which DPOTrainer does not train."""
    from torch.nn import Linear
    from transformers.pytorch_utils import Conv1D

    last = model.get_output_embeddings()
    return [name for name, layer in model.named_modules() if isinstance(layer, Linear | Conv1D) and layer is not last]
