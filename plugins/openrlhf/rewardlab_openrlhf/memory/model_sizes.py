"""A model's sizes from its config.json: in its folder, or in the hub's cache on this machine. Nothing is downloaded."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rewardlab.recipe import TinyModel
from rewardlab_training import hub_configs, looks_local


@dataclass(frozen=True, kw_only=True)
class ModelSizes:
    """The sizes of a decoder of today's usual form: gated feed-forward parts, grouped queries, no biases that count."""

    vocabulary: int
    hidden: int
    layers: int
    query: int
    """width of all heads' queries"""
    key_value: int
    """width of all heads' keys, and of their values"""
    feed_forward: int
    """width of a layer's feed-forward part; with experts, of all of them"""
    active: int
    """width of what one token passes through of it"""
    tied: bool = False
    """the embeddings are the last layer's weights, too"""
    normalised_queries: bool = False
    """queries and keys are normalised, as in Qwen3"""
    assumed: bool = False
    """the model's own sizes cannot be read here, and these are another's"""

    @property
    def parameters(self) -> int:
        """The number of parameters, to within some 1%: norms, biases and routers are left out."""
        attention = 2 * self.hidden * (self.query + self.key_value)
        layer = attention + 3 * self.hidden * self.feed_forward
        return self.layers * layer + (1 if self.tied else 2) * self.vocabulary * self.hidden


ASSUMED = ModelSizes(
    vocabulary=152_064,
    hidden=3584,
    layers=28,
    query=3584,
    key_value=512,
    feed_forward=18_944,
    active=18_944,
    assumed=True,
)
"""Qwen2.5-7B's, for a model whose own cannot be read"""


def model_sizes(model: str | TinyModel | None) -> ModelSizes:
    """Return the sizes of a recipe's model; `ASSUMED` if its config.json is not here or of an unusual kind."""
    if isinstance(model, TinyModel):
        return ModelSizes(
            vocabulary=model.vocabulary,
            hidden=model.hidden_size,
            layers=model.layers,
            query=model.hidden_size,
            key_value=model.hidden_size,
            feed_forward=model.intermediate_size,
            active=model.intermediate_size,
        )
    return ASSUMED if model is None else _sizes_here(model)


@cache
def _sizes_here(model: str) -> ModelSizes:
    for path in _config_files(model):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return sizes_of_config(found)
        except (OSError, ValueError, LookupError, TypeError):
            continue
    return ASSUMED


def sizes_of_config(config: Mapping[str, Any]) -> ModelSizes:
    """Return the sizes that a config.json names. LookupError or TypeError if it is of an unusual kind."""
    config = {**config, **(config.get("text_config") or {})}
    if config.get("kv_lora_rank"):
        raise LookupError("keys and values of low rank are not counted")
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    head = config.get("head_dim") or hidden // heads
    width, active = _feed_forward(config)
    return ModelSizes(
        vocabulary=config["vocab_size"],
        hidden=hidden,
        layers=config["num_hidden_layers"],
        query=heads * head,
        key_value=(config.get("num_key_value_heads") or heads) * head,
        feed_forward=width,
        active=active,
        tied=bool(config.get("tie_word_embeddings", False)),
        normalised_queries=str(config.get("model_type", "")).startswith("qwen3"),
    )


def _feed_forward(config: Mapping[str, Any]) -> tuple[int, int]:
    """Return (the width of a layer's feed-forward part, the width that one token uses)."""
    names = ("num_experts", "num_local_experts", "n_routed_experts")
    experts = next((config[name] for name in names if config.get(name)), 0)
    if not experts:
        return config["intermediate_size"], config["intermediate_size"]
    width = config.get("moe_intermediate_size") or config["intermediate_size"]
    shared = (config.get("n_shared_experts") or 0) * width + (config.get("shared_expert_intermediate_size") or 0)
    return experts * width + shared, config["num_experts_per_tok"] * width + shared


def _config_files(model: str) -> Iterator[Path]:
    """Yield where the config.json may be: the folder, or the snapshots in the hub's cache, the current one first."""
    if looks_local(model):
        yield Path(model).expanduser() / "config.json"
        return
    yield from hub_configs(model)
