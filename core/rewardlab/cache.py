"""Where rewardlab keeps what can be made again: the user's cache."""

import os
from pathlib import Path


def cache_dir() -> Path:
    """$XDG_CACHE_HOME/rewardlab, else ~/.cache/rewardlab; it need not be there yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rewardlab"
