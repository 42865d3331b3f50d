"""The laws of components as property tests: the names of the distribution rewardlab-testing.

This module hands them on, and says how to install it if it is not there.
"""

from importlib import import_module
from typing import Any

from rewardlab.first_party import pip_install


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name != "__all__":  # a __path__ would load its modules twice
        raise AttributeError(name)
    try:
        return getattr(import_module("rewardlab_testing"), name)
    except ModuleNotFoundError as error:
        if error.name != "rewardlab_testing":
            raise
        brings = f"{pip_install('testing')} hypothesis pytest"
        raise ImportError(f"rewardlab.testing needs rewardlab-testing: {brings}") from error


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
