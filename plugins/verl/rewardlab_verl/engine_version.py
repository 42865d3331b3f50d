"""verl as it is installed: its version, and what else its trainers need."""

from importlib import metadata
from importlib.util import find_spec

WHEEL = "0.9.1"
"""the version that `compile` writes settings for"""
MODULES = ("transfer_queue", "cachetools", "fastapi", "uvicorn")
"""what verl imports and its distribution does not name; rollout engines bring most of it"""


def installed_version() -> str | None:
    """Return the version of verl in this environment; None if it is not installed."""
    try:
        return metadata.version("verl")
    except metadata.PackageNotFoundError:
        return None


def what_is_wrong() -> str | None:
    """Return why this environment cannot train with verl, and what to install; None if it can."""
    found = installed_version()
    if found is None:
        return (
            f"verl {WHEEL} is not installed here; `rewardlab env create verl` makes its environment, and "
            "`backend={use: trl}` needs none"
        )
    if found != WHEEL:
        return (
            f"verl {found} is installed, and this version of rewardlab is made for {WHEEL}; pip install verl=={WHEEL}"
        )
    missing = [name for name in MODULES if find_spec(name) is None]
    if missing:
        distributions = ("TransferQueue" if name == "transfer_queue" else name for name in missing)
        return f"verl {WHEEL} also needs {', '.join(missing)}; pip install {' '.join(distributions)}"
    return None
