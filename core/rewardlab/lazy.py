"""Packages that import their names when these are first used, so that importing the package costs nothing."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a package that re-exports names of modules: {"module": [names]}.

    A module is named within the package, or in full if it lies elsewhere in the library. The package writes its
    imports under `if TYPE_CHECKING:`, for type checkers, and these two under `else:`.
    """
    root = package.partition(".")[0]
    home = {
        name: module if module.partition(".")[0] == root else f"{package}.{module}"
        for module, names in modules.items()
        for name in names
    }

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(home)
