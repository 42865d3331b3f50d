"""Build, list and remove the environments that plugins have for themselves.

  rewardlab env create NAME...      NAME: an installed plugin; prints the path of its python
  rewardlab env list                all environments on the disk, half-built ones too
  rewardlab env remove NAME|KEY...  or --stale: those that nothing installed here asks for

A plugin's environment is also built automatically when a recipe first needs it.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rewardlab.registry import Registry
    from rewardlab.workers.environments.definition import EnvironmentDefinition

ACTIONS = ("create", "list", "remove")
CPU = "-cpu"
"""ends the name of the environment that `env create NAME --cpu` builds"""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("names", nargs="*", metavar="NAME|KEY", help="create: names; remove: names or keys")
    parser.add_argument("--cpu", action="store_true", help="create: a backend's environment without CUDA")
    parser.add_argument("--stale", action="store_true", help="remove: all that nothing installed here asks for")
    parser.add_argument("--json", action="store_true", help="list: print JSON")


def run(options: Namespace) -> int:
    _refuse_strangers(options)
    if options.action == "create":
        return _create(options.names, options.cpu)
    if options.action == "list":
        return _list(options.json)
    return _remove(options.names, options.stale)


def _refuse_strangers(options: Namespace) -> None:
    from rewardlab.errors import UserError

    action = options.action
    for flag, goes_with in (("cpu", "create"), ("stale", "remove"), ("json", "list")):
        if getattr(options, flag) and action != goes_with:
            raise UserError(f"--{flag} goes with `rewardlab env {goes_with}`")
    if action == "list" and options.names:
        raise UserError("`rewardlab env list` lists all environments; it takes no name")
    if action == "create" and not options.names:
        raise UserError("which one? rewardlab env create NAME, an installed plugin")
    if action == "remove" and bool(options.names) == options.stale:
        raise UserError("which ones? rewardlab env remove NAME or KEY, as `rewardlab env list` shows them, or --stale")


def _create(names: Sequence[str], cpu: bool) -> int:
    from rewardlab.registry import Registry
    from rewardlab.workers.environments.managed import provide

    registry = Registry()
    wanted = [(name, definition) for name in names for definition in _definitions(name, cpu, registry)]
    for name, definition in wanted:
        print(provide(definition))
        if name in _environments_of_backends(registry):
            hint = f"use it: . {definition.folder}/bin/activate   (your own plugins: pip install them there)"
        else:
            hint = f"recipes use it by themselves; one of your own instead: environment: {{python: PATH}} of {name}/..."
        print(hint, file=sys.stderr)
    return 0


def _definitions(name: str, cpu: bool, registry: "Registry") -> list["EnvironmentDefinition"]:
    """Return the definitions that `env create NAME` builds; a UserError where nothing installed has any."""
    from rewardlab.errors import UserError, nearest
    from rewardlab.workers.environments.wanted import environments_of

    of_backends = _environments_of_backends(registry)
    if cpu and f"{name}{CPU}" not in of_backends:
        raise UserError(f"--cpu: {name} has no environment of its own for a CPU alone")
    if name in of_backends:
        return [of_backends[f"{name}{CPU}" if cpu else name]()]
    if name not in registry.names():
        having = [plugin.name for plugin in registry if environments_of(plugin)]
        raise UserError(f"no plugin {name!r}{nearest(name, [*having, *of_backends])}")
    plugin = registry.usable(name)
    if not (found := environments_of(plugin)):
        raise UserError(f"plugin {name!r} has no environment of its own: it lives in this one")
    return found


def _environments_of_backends(registry: "Registry") -> dict[str, Callable[[], "EnvironmentDefinition"]]:
    """Map the name of each installed backend's environment to the function that returns its definition."""
    return {name: define for spec in registry.backends().values() for name, define in spec.environments.items()}


def _list(as_json: bool) -> int:
    from rewardlab.text.printable import print_json

    rows = list(_rows())
    if as_json:
        print_json(rows, indent=1)
    elif rows:
        _table(rows)
    else:
        print("no environments; a recipe that needs one builds it, or `rewardlab env create NAME`", file=sys.stderr)
    return 0


def _rows() -> Iterator[dict]:
    from rewardlab.workers.environments.definition import python_in
    from rewardlab.workers.environments.inventory import installed_environments, size_of

    askers = _askers()
    for found in installed_environments():
        yield {
            "name": found.name,
            "key": found.key,
            "state": found.state,
            "asked_for_by": askers.get(found.folder, []),
            "bytes": size_of(found.folder),
            "built": found.record and found.record.built,
            "seconds": found.record and found.record.seconds,
            "python": str(python_in(found.folder)),
            "versions": found.record and found.record.versions,
        }


def _askers() -> dict[Path, list[str]]:
    """Map each folder to the names that ask for it. A definition that fails is reported on stderr and left out."""
    from rewardlab.errors import UserError
    from rewardlab.registry import Registry
    from rewardlab.workers.environments.wanted import environments_of

    registry = Registry()
    wanted = [(plugin.name, definition) for plugin in registry for definition in environments_of(plugin)]
    for name, define in _environments_of_backends(registry).items():
        wanted.append((f"{name.removesuffix(CPU)} --cpu" if name.endswith(CPU) else name, define()))
    askers: dict[Path, list[str]] = {}
    for name, definition in wanted:
        try:
            askers.setdefault(definition.folder, []).append(name)
        except UserError as error:
            print(f"{name}: {error}", file=sys.stderr)
    return askers


def _table(rows: Sequence[dict]) -> None:
    from rewardlab.text import columns

    lines = [("name", "key", "state", "size", "built", "asked for by")]
    for row in rows:
        built = (row["built"] or "")[:16].replace("T", " ")
        by = ", ".join(row["asked_for_by"]) or "nothing here (stale)"
        lines.append((row["name"], row["key"], row["state"], _size(row["bytes"]), built, by))
    print("\n".join(columns(lines)))


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def _remove(names: Sequence[str], stale: bool) -> int:
    from rewardlab.errors import UserError, nearest
    from rewardlab.workers.environments.inventory import installed_environments, remove, size_of

    there = installed_environments()
    if stale:
        askers = _askers()
        doomed = [found for found in there if found.folder not in askers and found.state != "being built"]
    else:
        known = {word for found in there for word in (found.name, found.key, found.folder.name)}
        if unknown := [name for name in names if name not in known]:
            raise UserError(f"no environment {unknown[0]!r}{nearest(unknown[0], known)}")
        doomed = [found for found in there if {found.name, found.key, found.folder.name} & set(names)]
    for found in doomed:
        size = size_of(found.folder)
        remove(found.folder)
        print(f"removed {found.folder.name} ({_size(size)})")
    if not doomed:
        print("nothing is stale", file=sys.stderr)
    return 0
