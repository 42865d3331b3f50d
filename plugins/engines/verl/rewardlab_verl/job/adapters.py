"""LoRA adapters in a model that verl wrote, merged into its weights: it writes both under the names that peft has."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

PREFIX = "base_model.model."
BASE, DOWN, UP = ".base_layer.", ".lora_A.default.weight", ".lora_B.default.weight"


def merge_adapters(folder: Path, scale: float) -> None:
    """Write the model in `folder` anew with its adapters merged in.

    Without adapters, nobody who loads the model needs peft.

    Args:
        scale: alpha / rank.
    """
    from huggingface_hub import save_torch_state_dict
    from safetensors.torch import load_file

    files = [*folder.glob("*.safetensors")]
    weights = {name: value for file in files for name, value in load_file(file).items()}
    merged = merged_weights(weights, scale)
    for file in (*files, *folder.glob("*.safetensors.index.json")):
        file.unlink()
    save_torch_state_dict(merged, folder)


def merged_weights(weights: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """Return a model's weights under their own names, each with what its adapter adds."""
    merged = {}
    for name, value in weights.items():
        if name.endswith((DOWN, UP)):
            continue
        layer, base, rest = name.removeprefix(PREFIX).partition(BASE)
        if base and rest == "weight":
            up, down = (weights[f"{PREFIX}{layer}{part}"].float() for part in (UP, DOWN))
            value = (value.float() + scale * (up @ down)).to(value.dtype)
        merged[f"{layer}.{rest}" if base else layer] = value
    return merged
