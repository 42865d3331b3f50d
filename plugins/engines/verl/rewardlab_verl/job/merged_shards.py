"""The model of a checkpoint of fsdp2, put together from the shards of its ranks, as transformers reads it."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SHARDED = "fsdp_config.json"
"""verl's note beside the shards of fsdp2: of how many ranks they are"""


def write_model(checkpoint: Path, folder: Path) -> None:
    """Write the model whose shards a checkpoint holds, in their precision, under the names that verl itself gives it.

    FileNotFoundError if the checkpoint lacks a rank's shard. Needs the main memory of the whole model.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM
    from verl.utils.transformers_compat import drop_tied_target_keys

    weights = whole_weights(
        [torch.load(path, map_location="cpu", mmap=True, weights_only=False) for path in shards(checkpoint)]
    )
    shutil.copytree(checkpoint / "huggingface", folder)
    config = AutoConfig.from_pretrained(folder)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    drop_tied_target_keys(weights, model, config)
    model.save_pretrained(folder, state_dict=weights)


def shards(checkpoint: Path) -> list[Path]:
    """Return the files of a checkpoint that hold its ranks' shares of the model, in the order of the ranks."""
    ranks = json.loads((checkpoint / SHARDED).read_text(encoding="utf-8"))["world_size"]
    return [checkpoint / f"model_world_size_{ranks}_rank_{rank}.pt" for rank in range(ranks)]


def whole_weights(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the weights of which each rank has a part, or a copy where nothing splits them."""
    import torch
    from torch.distributed.tensor import DTensor, Shard

    weights = {}
    for name, value in parts[0].items():
        if not isinstance(value, DTensor):
            weights[name] = value
            continue
        placement, ranks = value.placements[-1], value.device_mesh.mesh
        own = [parts[rank][name].to_local() for rank in ranks.reshape(-1, ranks.shape[-1])[0]]  # the others have copies
        weights[name] = torch.cat(own, placement.dim) if isinstance(placement, Shard) else own[0]
    return weights
