"""The laws of components as property tests: the names of the distribution rewardlab-testing.

`pip install 'rewardlab[testing]'` brings it; this module hands its names on, and says so if it is not there.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name != "__all__":  # a __path__ would load its modules twice
        raise AttributeError(name)
    try:
        return getattr(import_module("rewardlab_testing"), name)
    except ModuleNotFoundError as error:
        if error.name not in ("rewardlab_testing", "hypothesis"):
            raise
        raise ImportError("rewardlab.testing needs rewardlab-testing: pip install 'rewardlab[testing]'") from error


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
