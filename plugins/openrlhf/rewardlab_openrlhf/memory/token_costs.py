"""Bytes that a token of a micro-batch takes in one pass of OpenRLHF 0.11.2, by the model's sizes.

Logits are made for every token, of prompts, too, and for the whole vocabulary (openrlhf/models/actor.py).
"""

from rewardlab_openrlhf.memory.model_sizes import ModelSizes

TRAINING_LOGITS = 4 + 4 + 2
"""bytes of a logit at the peak of a backward pass

The float32 copy, which `return_output` and flash-attn's cross-entropy keep; its gradient in float32, which that does
not write in place; and the gradient of the bf16 original.
"""
FORWARD_LOGITS = 2 + 4
"""bytes of a logit if no gradient is taken: bf16, and the float32 copy of it"""


def training_logits(model: ModelSizes) -> int:
    """Return the bytes of a token's logits in a pass that trains."""
    return TRAINING_LOGITS * model.vocabulary


def forward_logits(model: ModelSizes) -> int:
    """Return the bytes of a token's logits in a pass for log-probabilities, of the policy or the reference."""
    return FORWARD_LOGITS * model.vocabulary


def layer_activations(model: ModelSizes) -> int:
    """Return the bytes that autograd keeps of a token in one layer, in bf16 with flash attention.

    Two norms keep 8 a number of the hidden state, attention queries, keys, values and its output (2 each), the gated
    part its two inputs, the activation and the product (2 each). A test counts the same in transformers' own layers.
    """
    norms_of_heads = 6 * (model.query + model.key_value) if model.normalised_queries else 0
    return 16 * model.hidden + 4 * (model.query + model.key_value) + norms_of_heads + 8 * model.active


def training_activations(model: ModelSizes, checkpointing: bool) -> int:
    """Return the bytes that are kept of a token for the backward pass; with checkpointing each layer's input only."""
    layer = layer_activations(model)
    return model.layers * 2 * model.hidden + layer if checkpointing else model.layers * layer


def training_bytes(model: ModelSizes, checkpointing: bool) -> int:
    """Return the bytes of a token in a pass that trains; no more for the critic, which has one value for a token."""
    return training_logits(model) + training_activations(model, checkpointing)


def forward_bytes(model: ModelSizes) -> int:
    """Return the bytes of a token in a pass without gradients, whose logits come after the layers."""
    return max(forward_logits(model), layer_activations(model))
