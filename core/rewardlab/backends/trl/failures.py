"""What goes wrong in the engine for want of memory or disk, as one error that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from safetensors import SafetensorError

from rewardlab.errors import JobError, one_line

NO_MEMORY = "too little memory; lower micro_batch_size or the token limits, or set backend.gradient_checkpointing"
SIGNS = {
    "DefaultCPUAllocator": NO_MEMORY,
    "PytorchStreamWriter": "a checkpoint cannot be written; is the disk full?",
    "inline_container": "a checkpoint cannot be written; is the disk full?",
}
"""what torch's plain RuntimeError contains -> what it means"""


@contextmanager
def named(stage: str) -> Iterator[None]:
    """A full disk or memory as a JobError that names the stage; anything else passes as it is."""
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        why = _why(error)
        if why is None:
            raise
        raise JobError(f"stage {stage}: {why}") from error


def _why(error: Exception) -> str | None:
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror or error}"
    if isinstance(error, torch.OutOfMemoryError):
        found: str | None = NO_MEMORY
    elif isinstance(error, SafetensorError):
        found = "the model cannot be written; is the disk full?"
    else:
        found = next((meaning for sign, meaning in SIGNS.items() if sign in str(error)), None)
    return found and f"{found} ({one_line(error, 200)})"
