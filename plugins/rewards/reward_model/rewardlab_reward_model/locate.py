"""The place of a model: a folder on this machine, or a name on the hub."""

import os
from pathlib import Path

from rewardlab.errors import UserError


def locate_model(model: str) -> str:
    """Return the absolute path of a folder; return a name on the hub as it is.

    Raises UserError for a path without a model.
    """
    folder = Path(os.path.expanduser(model))
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise UserError(f"model: {folder} holds no model of transformers: there is no config.json")
        return str(folder.resolve())
    if folder.exists() or model.startswith(("/", ".", "~")) or model.count("/") > 1:
        raise UserError(f"model: no folder {model!r}; name one, or a model of the hub as `organisation/name`")
    return model
