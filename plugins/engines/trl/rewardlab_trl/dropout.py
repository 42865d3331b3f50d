"""Dropout, switched off for reinforcement learning: the policy that learns is the one that was sampled."""

from typing import Any


def switch_off_dropout(model: Any) -> None:
    """Make every dropout of `model` pass everything, in training too; its config stays as it is."""
    import torch

    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        # attention without a Dropout module keeps its rate under this name, by the convention of transformers
        if isinstance(getattr(module, "attention_dropout", None), float):
            module.attention_dropout = 0.0
