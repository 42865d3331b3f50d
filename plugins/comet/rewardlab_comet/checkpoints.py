"""Whether `checkpoint` is a place on this machine, and whether there is a checkpoint."""

from pathlib import Path

from rewardlab.errors import UserError


def located(checkpoint: str) -> str:
    """The absolute path of the .ckpt file of a checkpoint that is here; a hub name as it is.

    Raises UserError for what looks like a path (it begins with / . or ~, ends in .ckpt, or has more than one slash)
    or exists, and is no checkpoint.
    """
    path = Path(checkpoint).expanduser()
    if not (path.exists() or _looks_like_a_path(checkpoint)):
        return checkpoint
    file = path / "checkpoints" / "model.ckpt" if path.is_dir() else path
    if not file.is_file():
        raise UserError(
            f"checkpoint {checkpoint!r}: there is no file {file}; give a .ckpt file, a folder that holds "
            "checkpoints/model.ckpt, or a hub name such as Unbabel/wmt22-cometkiwi-da"
        )
    file = file.absolute()  # no link followed: a hub's cache keeps the file itself elsewhere, without its settings
    settings = file.parents[1] / "hparams.yaml"
    if not settings.is_file():
        raise UserError(
            f"checkpoint {checkpoint!r}: there is no {settings}; COMET needs the hparams.yaml that was published with "
            "a checkpoint one folder above that of the .ckpt file"
        )
    return str(file)


def _looks_like_a_path(checkpoint: str) -> bool:
    return checkpoint.startswith(("/", ".", "~")) or checkpoint.endswith(".ckpt") or checkpoint.count("/") > 1
