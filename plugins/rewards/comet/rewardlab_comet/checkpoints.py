"""Find out whether `checkpoint` is a path on this machine, and whether a checkpoint is there."""

import os
from pathlib import Path

from rewardlab.errors import UserError


def locate_checkpoint(checkpoint: str) -> str:
    """Return the absolute path of the .ckpt file of a checkpoint on this machine; return a hub name as it is.

    Raises UserError for something that exists or looks like a path (it begins with / . or ~, ends in .ckpt, or has
    more than one slash) but is not a checkpoint.
    """
    path = Path(os.path.expanduser(checkpoint))
    if not (path.exists() or _looks_like_a_path(checkpoint)):
        return checkpoint
    file = path / "checkpoints" / "model.ckpt" if path.is_dir() else path
    if not file.is_file():
        raise UserError(
            f"checkpoint {checkpoint!r}: there is no file {file}; give a .ckpt file, a folder that holds "
            "checkpoints/model.ckpt, or a hub name such as Unbabel/wmt22-cometkiwi-da"
        )
    file = file.absolute()  # links are not followed: a hub's cache keeps the file elsewhere, without its settings
    settings = file.parents[1] / "hparams.yaml"
    if not settings.is_file():
        raise UserError(
            f"checkpoint {checkpoint!r}: there is no {settings}; COMET needs the hparams.yaml that was published with "
            "a checkpoint one folder above that of the .ckpt file"
        )
    return str(file)


def _looks_like_a_path(checkpoint: str) -> bool:
    return checkpoint.startswith(("/", ".", "~")) or checkpoint.endswith(".ckpt") or checkpoint.count("/") > 1
