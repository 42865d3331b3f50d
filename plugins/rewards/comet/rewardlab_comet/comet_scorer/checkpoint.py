"""Find and load a COMET checkpoint, and say what is wrong with one that cannot be used."""

from pathlib import Path
from typing import Any

import comet
from comet.models import CometModel, ReferencelessRegression, UnifiedMetric
from comet_scorer.device import require_device

SHOWN = 120  # characters of a library's own message


class CheckpointError(Exception):
    """A checkpoint that is missing, cannot be read, or cannot score without a human reference."""


def load(name: str, device: str) -> CometModel:
    """Return the model on its device, in evaluation mode, in float32 as in COMET's own predict.

    Args:
        name: a .ckpt file (with hparams.yaml one folder above its own), or a name that COMET downloads.

    Raises CheckpointError and UnknownDevice.
    """
    require_device(device)  # before gigabytes are read
    if Path(name).is_absolute() and not Path(name).is_file():
        raise CheckpointError(f"checkpoint {name!r}: there is no such file where the worker runs")
    path = Path(name if Path(name).is_file() else _download(name))
    if not path.is_file():
        raise CheckpointError(f"{name!r} was downloaded but is not a COMET checkpoint: it lacks checkpoints/model.ckpt")
    CometModel.on_load_checkpoint = _refuse_missing_weights
    try:
        model = comet.load_from_checkpoint(str(path))
    except CheckpointError:
        raise
    except Exception as error:  # anything from a damaged archive to an encoder that cannot be downloaded
        size = path.stat().st_size  # a git-lfs pointer has a few hundred bytes
        raise CheckpointError(f"checkpoint {name!r} ({size:,} bytes) cannot be loaded: {_shortened(error)}") from error
    if model.requires_references() or not isinstance(model, UnifiedMetric | ReferencelessRegression):
        raise CheckpointError(
            f"checkpoint {name!r} ({type(model).__name__}) needs a human reference beside source and translation, and "
            "there is none here; use a reference-free one, such as Unbabel/wmt22-cometkiwi-da"
        )
    return model.eval().requires_grad_(False).to(device)


def _download(name: str) -> str:
    try:
        return comet.download_model(name)
    except Exception as error:  # COMET's KeyError, raised while an older location was tried after the hub had failed
        older = error.__context__ or error
        cause = older.__context__ or older
        raise CheckpointError(_download_failure(name, cause)) from error


def _download_failure(name: str, error: BaseException) -> str:
    folder = " There is no folder of that name below the current one." if name.count("/") == 1 else ""
    status = _status(error)
    if status in (401, 403):
        return (
            f"checkpoint {name!r}: the hub answers HTTP {status}. If it is gated, as Unbabel's are, accept the "
            f"licence at huggingface.co/{name} and set HF_TOKEN.{folder}"
        )
    why = f"HTTP {status}" if status is not None else type(error).__name__
    return (
        f"checkpoint {name!r} is not in this machine's cache and cannot be downloaded ({why}); name a folder with "
        f"checkpoints/model.ckpt, or download it first.{folder}"
    )


def _status(error: BaseException | None) -> int | None:
    """Return the HTTP status of the hub's answer, from the error or from one that led to it; None without one."""
    while error is not None:
        status = getattr(getattr(error, "response", None), "status_code", None)
        if status is not None:
            return status
        error = error.__cause__ or error.__context__
    return None


def _refuse_missing_weights(model: CometModel, checkpoint: dict[str, Any]) -> None:
    """Raise CheckpointError if a checkpoint lacks weights of the model.

    Lightning calls this before it loads the weights; COMET has it leave missing ones random.
    """
    missing = [name for name, _ in model.named_parameters() if name not in checkpoint["state_dict"]]
    if missing:
        raise CheckpointError(f"the checkpoint lacks {len(missing)} of the model's weights, {missing[0]} for one")


def _shortened(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:SHOWN]}"
