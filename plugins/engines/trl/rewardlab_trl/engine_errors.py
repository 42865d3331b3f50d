"""Errors of the engine for want of memory or disk, as one error that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from rewardlab.errors import JobError, one_line
from safetensors import SafetensorError

NO_MEMORY = "too little memory; lower micro_batch_size or the token limits, or set backend.gradient_checkpointing"
SIGNS = {
    "DefaultCPUAllocator": NO_MEMORY,
    "PytorchStreamWriter": "a checkpoint cannot be written; is the disk full?",
    "inline_container": "a checkpoint cannot be written; is the disk full?",
}
"""what torch's plain RuntimeError contains -> what it means"""


@contextmanager
def resource_errors(stage: str) -> Iterator[None]:
    """Turn errors of a full disk or memory into a JobError that names the stage; others pass as they are."""
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        meaning = _meaning(error)
        if meaning is None:
            raise
        raise JobError(f"stage {stage}: {meaning}") from error


def _meaning(error: Exception) -> str | None:
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror or error}"
    if isinstance(error, torch.OutOfMemoryError):
        meaning: str | None = NO_MEMORY
    elif isinstance(error, SafetensorError):
        meaning = "the model cannot be written; is the disk full?"
    else:
        meaning = next((meaning for sign, meaning in SIGNS.items() if sign in str(error)), None)
    return meaning and f"{meaning} ({one_line(error, 200)})"
