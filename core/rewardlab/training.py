"""The kit for backends, and runs of recipes from Python: the names of the distribution rewardlab-training.

This module hands them on, and says how to install it if it is not there.
"""

from importlib import import_module
from typing import Any

from rewardlab.first_party import pip_install


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name != "__all__":  # a __path__ would load its modules twice
        raise AttributeError(name)
    try:
        return getattr(import_module("rewardlab_training"), name)
    except ModuleNotFoundError as error:
        if error.name != "rewardlab_training":
            raise
        raise ImportError(f"rewardlab.training needs rewardlab-training: {pip_install('training')}") from error


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
