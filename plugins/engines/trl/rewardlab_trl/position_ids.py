"""The positions of left-padded rows in training: the same that they have in generation."""

import inspect
from typing import Any


def count_from_the_first_token(model: Any) -> None:
    """Make `model` number a row's tokens from the first that is not padding, unless it is given positions.

    TRL pads prompts on the left and gives no positions, so that a model with learned positions (GPT-2) would be trained
    at other positions than it was sampled at. With relative positions (RoPE) both are the same.
    """
    if "position_ids" in inspect.signature(type(model).forward).parameters:
        model.register_forward_pre_hook(_number, with_kwargs=True)


def _number(_model: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]] | None:
    mask = named.get("attention_mask")
    given = named.get("position_ids") is not None or named.get("past_key_values") is not None
    if given or mask is None or mask.dim() != 2:
        return None
    return positional, {**named, "position_ids": (mask.long().cumsum(-1) - 1).clamp(min=0)}
