"""The place at which another process finds a spec: the plugin that offers it, else a module and its file."""

import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from rewardlab import Spec
from rewardlab.errors import one_line
from rewardlab.registry import installed, offers_of

from rewardlab_testing.outcomes.outcome import UnmetNeed

REMEDY = (
    "cannot be found in another process; offer it by an installed plugin, or by a hook or a name at the top level of "
    "the module that defines its `build`"
)

_loading: list[str] = []
"""modules that are being loaded again"""


def location_of(spec: Spec, use: str, installed: bool) -> dict[str, Any]:
    """Return where another process finds the spec, as JSON values; raise UnmetNeed if it would not find it."""
    location = {"kind": spec.kind, "name": spec.name, "use": use if installed else None}
    if installed:
        return location
    for module in _modules(spec):
        if any(_same(other, spec) for other in _offered(module)):
            return location | {"module": module.__name__, "file": getattr(module, "__file__", None)}
    raise UnmetNeed(f"{use} {REMEDY}")


def spec_at(location: Mapping[str, Any]) -> Spec:
    """Return the spec at a location that `location_of` gave; raise a LookupError that says why it is not there."""
    if location["use"] is not None:
        return installed().find(location["kind"], location["use"])
    name, file = location["module"], location["file"]
    try:
        module = _load(name, file)
    except (Exception, SystemExit) as error:
        raise LookupError(f"{file or name} cannot be loaded again: {one_line(error)}") from error
    for spec in _offered(module):
        if (spec.kind, spec.name) == (location["kind"], location["name"]):
            return spec
    raise LookupError(f"{name} offers no {location['kind']} {location['name']!r} when it is loaded again")


def refuse_while_loading() -> None:
    """Raise a RuntimeError if a module that is being loaded again tries laws, as a script's top level may."""
    if _loading:
        remedy = "do so in a function, or under `if __name__ == '__main__':`"
        raise RuntimeError(f"it tries laws while it is loaded; {remedy}")


def _modules(spec: Spec) -> Iterator[ModuleType]:
    """Yield the modules that may offer the spec: those of its `build` and its options, and their packages."""
    build = spec.build
    while isinstance(build, partial):
        build = build.func
    for part in (build, spec.config):
        name = getattr(part, "__module__", None) or ""
        while name:
            if name in sys.modules:
                yield sys.modules[name]
            name = name.rpartition(".")[0]


def _offered(module: ModuleType) -> Iterator[Spec]:
    """Yield the specs among a module's values, those in its lists and dicts, and those that its hooks return."""
    for value in list(vars(module).values()):
        if isinstance(value, Spec):
            yield value
        elif isinstance(value, list | tuple):
            yield from (inner for inner in value if isinstance(inner, Spec))
        elif isinstance(value, dict):
            yield from (inner for inner in value.values() if isinstance(inner, Spec))
    try:
        hooked, _ = offers_of(module)
    except Exception:  # the module need not be a plugin
        return
    yield from hooked.values()


def _same(spec: Spec, other: Spec) -> bool:
    return spec is other or (
        (spec.kind, spec.name, spec.config) == (other.kind, other.name, other.config)
        and _behaviour(spec.build) == _behaviour(other.build)
    )


def _behaviour(build: Any) -> Any:
    """Return what decides what `build` does: a hook that has a lambda makes a new one at every call."""
    if isinstance(build, partial):
        return (_behaviour(build.func), build.args, build.keywords)
    if (code := getattr(build, "__code__", None)) is None:
        return build
    cells: Sequence[Any] = getattr(build, "__closure__", None) or ()
    return (code, [cell.cell_contents for cell in cells], getattr(build, "__defaults__", None))


def _load(name: str, file: str | None) -> ModuleType:
    """Import the module of this name if it is that of this file; else load the file under this name."""
    if file is None or _file_of(name) == Path(file):
        return import_module(name)
    name = "rewardlab_tested" if name == "__main__" else name
    loader = SourceFileLoader(name, file)
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _loading.append(name)
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]  # half of it is not a module
        raise
    finally:
        _loading.remove(name)
    return module


def _file_of(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin else None
