"""What goes wrong in the engine for reasons outside of this program, as one error that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from safetensors import SafetensorError

from rewardlab.errors import JobError, one_line

WRITER_FAILED = ("PytorchStreamWriter", "inline_container", "iostream error")
"""what torch says, as a plain RuntimeError, when a checkpoint cannot be written"""


@contextmanager
def named(stage: str) -> Iterator[None]:
    """A full disk or a full GPU as a JobError that names the stage; anything else passes as it is."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise JobError(
            f"stage {stage}: the GPU has too little memory; lower micro_batch_size or the token limits, or "
            f"set backend.gradient_checkpointing ({one_line(error, 120)})"
        ) from error
    except OSError as error:
        raise JobError(f"stage {stage}: {error.filename or 'the system'}: {error.strerror or error}") from error
    except SafetensorError as error:
        raise JobError(f"stage {stage}: the model cannot be written; is the disk full? ({one_line(error)})") from error
    except RuntimeError as error:
        if not any(sign in str(error) for sign in WRITER_FAILED):
            raise
        raise JobError(
            f"stage {stage}: a checkpoint cannot be written; is the disk full? ({one_line(error)})"
        ) from error
