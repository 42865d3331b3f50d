"""Packages that import their names when these are first used, so that importing the package costs nothing."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["lazy_names", "names_of_plugin"]

_NAME = re.compile(r"^    from ([\w.]+) import (\w+) as \2$", re.MULTILINE)


def lazy_names(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a package that hands on names of other modules.

    The package's file says each name once, under `if TYPE_CHECKING:`, where type checkers read it, too:
    `from MODULE import NAME as NAME`; of the package itself, a module in it.
    """
    with open(file, encoding="utf-8") as source:  # not by pathlib, which takes longer to import than all of this
        home = {name: module for module, name in _NAME.findall(source.read())}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        inside = home[name] == package
        value = import_module(f"{package}.{name}") if inside else getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(home), sorted(home)


def names_of_plugin(
    module: str, plugin: str, besides: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a module that hands on the names of a plugin of ours.

    If the plugin is not there, the module says how to install it, and what is needed besides.
    """
    package = f"rewardlab_{plugin}"

    def get(name: str) -> Any:
        if name.startswith("_") and name != "__all__":  # a __path__ would load its modules twice
            raise AttributeError(name)
        try:
            return getattr(import_module(package), name)
        except ModuleNotFoundError as error:
            if error.name != package:
                raise
            from rewardlab.first_party import pip_install

            raise ImportError(f"{module} needs rewardlab-{plugin}: {pip_install(plugin)}{besides}") from error

    return get, lambda: list(get("__all__"))
