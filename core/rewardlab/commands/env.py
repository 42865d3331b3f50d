"""Build, list and remove the environments that plugins have for themselves.

  rewardlab env create NAME...      NAME: an installed plugin, or openrlhf; prints the path of its python
  rewardlab env list                what is on the disk, half-built ones too
  rewardlab env remove NAME|KEY...  or --stale: all that nothing installed here asks for

A plugin's environment is also built by itself, where a recipe first needs it.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

ACTIONS = ("create", "list", "remove")
ENGINE = "openrlhf"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("names", nargs="*", metavar="NAME|KEY", help="create: names; remove: names or keys")
    parser.add_argument("--cpu", action="store_true", help="create openrlhf: without CUDA, for tests of its loop")
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
        raise UserError("which one? rewardlab env create NAME, an installed plugin or openrlhf")
    if action == "remove" and bool(options.names) == options.stale:
        raise UserError("which ones? rewardlab env remove NAME or KEY, as `rewardlab env list` shows them, or --stale")
    if options.cpu and ENGINE not in options.names:
        raise UserError(f"--cpu is for {ENGINE}; plugins have one environment")


def _create(names: Sequence[str], cpu: bool) -> int:
    from rewardlab.environments.managed import provide

    wanted = [(name, definition) for name in names for definition in _definitions(name, cpu)]
    for name, definition in wanted:
        print(provide(definition))
        if name == ENGINE:
            hint = f"use it: . {definition.folder}/bin/activate   (your own plugins: pip install them there)"
        else:
            hint = f"recipes use it by themselves; one of your own instead: environment: {{python: PATH}} of {name}/..."
        print(hint, file=sys.stderr)
    return 0


def _definitions(name: str, cpu: bool) -> list:
    from rewardlab.environments.wanted import wanted_by
    from rewardlab.errors import UserError, nearest
    from rewardlab.registry import Registry

    if name == ENGINE:
        from rewardlab.backends.openrlhf.environment import environment

        return [environment(cpu)]
    registry = Registry()
    if name not in registry.names():
        having = [plugin.name for plugin in registry if wanted_by(plugin)]
        raise UserError(f"no plugin {name!r}{nearest(name, [*having, ENGINE])}")
    plugin = registry.plugin(name)
    if plugin.broken:
        raise UserError(f"plugin {name!r} ({plugin.distribution}) cannot be used: {plugin.broken}")
    if not (found := wanted_by(plugin)):
        raise UserError(f"plugin {name!r} has no environment of its own: it lives in this one")
    return found


def _list(as_json: bool) -> int:
    rows = list(_rows())
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    elif rows:
        _table(rows)
    else:
        print("no environments; a recipe that needs one builds it, or `rewardlab env create NAME`", file=sys.stderr)
    return 0


def _rows() -> Iterator[dict]:
    from rewardlab.environments.definition import python_in
    from rewardlab.environments.inventory import size_of, standing

    askers = _askers()
    for found in standing():
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


def _askers() -> dict:
    """Who asks for which folder. What cannot be told is said on stderr: nobody's listing fails because of it."""
    from rewardlab.backends.openrlhf.environment import environment
    from rewardlab.environments.wanted import wanted_by
    from rewardlab.errors import UserError
    from rewardlab.registry import Registry

    askers: dict = {}
    wanted = [(plugin.name, definition) for plugin in Registry() for definition in wanted_by(plugin)]
    for name, definition in [*wanted, (ENGINE, environment(False)), (f"{ENGINE} --cpu", environment(True))]:
        try:
            askers.setdefault(definition.folder, []).append(name)
        except UserError as error:
            print(f"{name}: {error}", file=sys.stderr)
    return askers


def _table(rows: Sequence[dict]) -> None:
    lines = [("name", "key", "state", "size", "built", "asked for by")]
    for row in rows:
        built = (row["built"] or "")[:16].replace("T", " ")
        by = ", ".join(row["asked_for_by"]) or "nothing here (stale)"
        lines.append((row["name"], row["key"], row["state"], _size(row["bytes"]), built, by))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def _remove(names: Sequence[str], stale: bool) -> int:
    from rewardlab.environments.inventory import remove, size_of, standing
    from rewardlab.errors import UserError, nearest

    there = standing()
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
