"""`rewardlab env`: the environments that plugins have for themselves."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

from pydantic import model_validator
from rewardlab import CommandResult, Config, Positional, installed, note
from rewardlab.errors import UserError, nearest
from rewardlab.registry import Plugin, Registry
from rewardlab.workers import EnvironmentDefinition, environment_of

from .identity import python_in
from .inventory import installed_environments, remove, size_of
from .managed import Environment

SUMMARY = "build, list and remove plugins' own environments"
CPU = "-cpu"
"""ends the name of the environment that `env create NAME --cpu` builds"""


class Options(Config):
    """Build, list and remove the separate environments of plugins.

      rewardlab env create NAME...      NAME: an installed plugin; prints the path of its python
      rewardlab env list                all environments on the disk, also unfinished ones
      rewardlab env remove NAME|KEY...  or --stale: those that nothing installed here asks for

    A plugin's environment is also built automatically when a recipe first needs it.
    """

    action: Annotated[Literal["create", "list", "remove"], Positional("ACTION")]
    """the action"""
    names: Annotated[tuple[str, ...], Positional("NAME|KEY")] = ()
    """create: names; remove: names or keys"""
    cpu: bool = False
    """create: a backend's environment without CUDA"""
    stale: bool = False
    """remove: all that nothing installed here asks for"""

    @model_validator(mode="after")
    def _go_together(self) -> "Options":
        for flag, goes_with in (("cpu", "create"), ("stale", "remove")):
            if getattr(self, flag) and self.action != goes_with:
                raise ValueError(f"--{flag} goes with `rewardlab env {goes_with}`")
        if self.action == "list" and self.names:
            raise ValueError("`rewardlab env list` lists all environments; it takes no name")
        if self.action == "create" and not self.names:
            raise ValueError("which one? rewardlab env create NAME, an installed plugin")
        if self.action == "remove" and bool(self.names) == self.stale:
            shown = "as `rewardlab env list` shows them"
            raise ValueError(f"which ones? rewardlab env remove NAME or KEY, {shown}, or --stale")
        return self


def run(options: Options) -> CommandResult:
    """Do it; data: of list a row for each environment, else the interpreters that were made or the folders removed."""
    if options.action == "create":
        return _create(options.names, options.cpu)
    return _list() if options.action == "list" else _remove(options.names, options.stale)


def _create(names: Sequence[str], cpu: bool) -> CommandResult:
    registry = installed()
    wanted = [(name, environment) for name in names for environment in _wanted(name, cpu, registry)]
    pythons = []
    for name, environment in wanted:
        pythons.append(environment.provide())
        if name in _environments_of_backends(registry):
            activate = quote(str(environment.folder / "bin" / "activate"))
            note(f"use it: . {activate}    # your own plugins: pip install them there")
        else:
            own = f"environment: {{python: PATH}} of {name}/..."
            note(f"recipes use it automatically; one of your own instead: {own}")
    return CommandResult(text="\n".join(pythons), data=pythons)


def _wanted(name: str, cpu: bool, registry: Registry) -> list[Environment]:
    """Return the environments that `env create NAME` builds. Raises UserError if no installed plugin has any."""
    of_backends = _environments_of_backends(registry)
    if cpu and f"{name}{CPU}" not in of_backends:
        raise UserError(f"--cpu: {name} has no separate environment for a CPU alone")
    if name in of_backends:
        return [Environment(of_backends[f"{name}{CPU}" if cpu else name]())]
    if name not in registry.names():
        having = [plugin.name for plugin in registry if environments_of(plugin)]
        raise UserError(f"no plugin {name!r} with an environment of its own{nearest(name, [*having, *of_backends])}")
    plugin = registry.usable(name)
    if not (environments := environments_of(plugin)):
        raise UserError(f"plugin {name!r} has no separate environment: it lives in this one")
    return environments


def environments_of(plugin: Plugin) -> list[Environment]:
    """Return the environments of a plugin's rewards and datasets, each once; most plugins have none."""
    environments: dict[tuple[Any, ...], Environment] = {}
    for spec in plugin.specs.values():
        if definition := environment_of(plugin, spec):
            key = (definition.steps[0].requirements, definition.distributions)
            environments.setdefault(key, Environment(definition))
    return list(environments.values())


def _environments_of_backends(registry: Registry) -> dict[str, Callable[[], EnvironmentDefinition]]:
    """Map the name of each installed backend's environment to the function that returns its definition."""
    return {name: define for spec in registry.backends().values() for name, define in spec.environments.items()}


def _list() -> CommandResult:
    rows = list(_rows())
    none = "no environments; a recipe that needs one builds it, or `rewardlab env create NAME`"
    return CommandResult(text="\n".join(_table(rows)) if rows else none, data=rows)


def _rows() -> Iterator[dict[str, Any]]:
    askers = _askers()
    for environment in installed_environments():
        yield {
            "name": environment.name,
            "key": environment.key,
            "state": environment.state,
            "asked_for_by": askers.get(environment.folder, []),
            "bytes": size_of(environment.folder),
            "built": environment.record and environment.record.built,
            "seconds": environment.record and environment.record.seconds,
            "python": str(python_in(environment.folder)),
            "versions": environment.record and environment.record.versions,
        }


def _askers() -> dict[Path, list[str]]:
    """Map each folder to the names that ask for it. A definition that fails is reported on stderr and left out."""
    registry = installed()
    wanted = [(plugin.name, environment) for plugin in registry for environment in environments_of(plugin)]
    for name, define in _environments_of_backends(registry).items():
        wanted.append((f"{name.removesuffix(CPU)} --cpu" if name.endswith(CPU) else name, Environment(define())))
    askers: dict[Path, list[str]] = {}
    for name, environment in wanted:
        try:
            askers.setdefault(environment.folder, []).append(name)
        except UserError as error:
            note(f"{name}: {error}")
    return askers


def _table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    lines = [("name", "key", "state", "size", "built", "asked for by")]
    for row in rows:
        built = (row["built"] or "")[:16].replace("T", " ")
        by = ", ".join(row["asked_for_by"]) or "nothing here (stale)"
        lines.append((row["name"], row["key"], row["state"], _size(row["bytes"]), built, by))
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def _remove(names: Sequence[str], stale: bool) -> CommandResult:
    there = installed_environments()
    if stale:
        askers = _askers()
        doomed = [
            environment
            for environment in there
            if environment.folder not in askers and environment.state != "being built"
        ]
    else:
        known = {word for environment in there for word in (environment.name, environment.key, environment.folder.name)}
        if unknown := [name for name in names if name not in known]:
            raise UserError(f"no environment {unknown[0]!r}{nearest(unknown[0], known)}")
        doomed = [
            environment
            for environment in there
            if {environment.name, environment.key, environment.folder.name} & set(names)
        ]
    lines = []
    for environment in doomed:
        size = size_of(environment.folder)
        remove(environment.folder)
        lines.append(f"removed {environment.folder.name} ({_size(size)})")
    if not doomed:
        note("nothing is stale")
    return CommandResult(text="\n".join(lines), data=[environment.folder.name for environment in doomed])
