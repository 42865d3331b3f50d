"""Between padded batches (batch, length, ...) and their rows joined without padding (tokens, ...)."""

import torch
from einops import rearrange

__all__ = ["index_first_axis", "pad_input", "rearrange", "unpad_input"]


def index_first_axis(values, indices):
    """The rows `indices` of `values`."""
    return values[indices]


def unpad_input(values, mask):
    """(tokens, their indices in the flat batch, cumulative lengths, the longest, the lengths), by `mask` (b, l)."""
    lengths = mask.sum(dim=-1, dtype=torch.int32)
    indices = mask.flatten().nonzero().flatten()
    ends = torch.nn.functional.pad(lengths.cumsum(0, dtype=torch.int32), (1, 0))
    return values.flatten(0, 1)[indices], indices, ends, int(lengths.max()), lengths


def pad_input(values, indices, batch, length):
    """The inverse: zeros where nothing was."""
    padded = values.new_zeros(batch * length, *values.shape[1:])
    return padded.index_copy(0, indices, values).unflatten(0, (batch, length))
