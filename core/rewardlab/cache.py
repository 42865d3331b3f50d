"""Where this library keeps what can be made again."""

import os
from pathlib import Path

from rewardlab.errors import UserError


def cache_dir() -> Path:
    """$XDG_CACHE_HOME/rewardlab where that is an absolute path, else ~/.cache/rewardlab. A UserError without a home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return Path(named) / "rewardlab"
    try:
        return Path.home() / ".cache" / "rewardlab"
    except RuntimeError as error:
        raise UserError("this user has no home folder to keep files in; set XDG_CACHE_HOME") from error
