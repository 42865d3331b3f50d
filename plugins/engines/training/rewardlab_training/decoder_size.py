"""The sizes of a decoder, by which engines count a stage's memory: read from its config.json, without its weights."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewardlab.recipe import TinyModel

from rewardlab_training.named_models import hub_configs, looks_local


@dataclass(frozen=True, kw_only=True)
class ModelSize:
    """The sizes of a decoder, from its config.json."""

    parameters: int
    """to within some 1%: norms, biases and routers are left out"""
    vocabulary: int
    linear: Mapping[str, int] = field(default_factory=dict)
    """name of a linear layer, such as q_proj -> inputs and outputs of those in all blocks; experts are none"""


def model_size(model: str | TinyModel | None) -> ModelSize | None:
    """Return the sizes of a recipe's model; None if its config.json is not here or of an unusual kind."""
    if isinstance(model, TinyModel):
        heads = {"num_attention_heads": 1, "num_hidden_layers": model.layers, "vocab_size": model.vocabulary}
        return size_of_config(model.model_dump() | heads)
    named = [] if model is None else [Path(model).expanduser() / "config.json"] if looks_local(model) else None
    for path in hub_configs(str(model)) if named is None else named:
        try:
            return size_of_config(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, LookupError, TypeError):
            continue
    return None


def size_of_config(config: Mapping[str, Any]) -> ModelSize:
    """Return the sizes that a config.json names. LookupError or TypeError if it is of an unusual kind."""
    config = {**config, **(config.get("text_config") or {})}
    if config.get("kv_lora_rank"):
        raise LookupError("keys and values of low rank are not counted")
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    head = config.get("head_dim") or hidden // heads
    attention = 2 * hidden * head * (heads + (config.get("num_key_value_heads") or heads))
    embeddings = (1 if config.get("tie_word_embeddings") else 2) * config["vocab_size"] * hidden
    inner, layers = _feed_forward(config), config["num_hidden_layers"]
    return ModelSize(
        parameters=layers * (attention + 3 * hidden * inner) + embeddings,
        vocabulary=config["vocab_size"],
        linear={name: layers * width for name, width in _linear(config, hidden, heads, head).items()},
    )


def _linear(config: Mapping[str, Any], hidden: int, heads: int, head: int) -> dict[str, int]:
    """Return the inputs and outputs of each linear layer of a block."""
    queries, keys = heads * head, (config.get("num_key_value_heads") or heads) * head
    layers = {"q_proj": hidden + queries, "k_proj": hidden + keys, "v_proj": hidden + keys, "o_proj": queries + hidden}
    if _experts(config):
        return layers
    return layers | dict.fromkeys(("gate_proj", "up_proj", "down_proj"), hidden + config["intermediate_size"])


def _feed_forward(config: Mapping[str, Any]) -> int:
    """Return the width of a layer's feed-forward part; with experts, of all of them."""
    experts = _experts(config)
    if not experts:
        return int(config["intermediate_size"])
    width = config.get("moe_intermediate_size") or config["intermediate_size"]
    shared = (config.get("n_shared_experts") or 0) * width + (config.get("shared_expert_intermediate_size") or 0)
    return int(experts * width + shared)


def _experts(config: Mapping[str, Any]) -> int:
    names = ("num_experts", "num_local_experts", "n_routed_experts")
    return next((int(config[name]) for name in names if config.get(name)), 0)
