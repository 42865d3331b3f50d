"""Write what follows from the folder plugins/: everything that would else be a list of plugins kept by hand.

    python release/lists.py            writes the files
    python release/lists.py --check    exit code 1 if one is not up to date

A new plugin needs its folder, and a line under `dependencies` or an extra in pyproject.toml; this script does the rest.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rewardlab.registry import Plugin, Registry

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Write the files, or say which ones are not up to date."""
    stale = [path for path, text in written().items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'not up to date' if '--check' in sys.argv else 'written'}")
        if "--check" not in sys.argv:
            path.write_text(written()[path], encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


def written() -> dict[Path, str]:
    """Return the files that follow from plugins/, with their text."""
    return {ROOT / "core/rewardlab/first_party.json": _first_party()}


def projects() -> dict[str, dict[str, Any]]:
    """Return what the pyproject of each plugin says, by the name of its folder."""
    paths = sorted(ROOT.glob("plugins/*/pyproject.toml"))
    return {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["project"] for path in paths}


def _first_party() -> str:
    registry = Registry()
    rows = {name: _row(name, project, registry) for name, project in projects().items()}
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def _row(name: str, project: dict[str, Any], registry: Registry) -> dict[str, Any]:
    points = project.get("entry-points", {}).get("rewardlab", {})
    plugins = [registry.usable(point) for point in points]
    return {
        "distribution": project["name"],
        "extra": _extra_of(project["name"]),
        "summary": project["description"].removeprefix("rewardlab plugin: "),
        "components": sorted(component for plugin in plugins for component in _components(plugin)),
        "commands": {command: spec.summary for plugin in plugins for command, spec in plugin.commands.items()},
    }


def _components(plugin: Plugin) -> Iterator[str]:
    for (kind, _), spec in plugin.specs.items():
        yield f"{kind} {plugin.use(spec)}"


def _extra_of(distribution: str) -> str:
    """Return the extra of the distribution rewardlab that brings another; nothing if it depends on it anyway."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if distribution in brought(project["dependencies"]):
        return ""
    for extra, needs in project["optional-dependencies"].items():
        if distribution in brought(needs):
            return str(extra)
    raise SystemExit(f"pyproject.toml: {distribution} is neither under `dependencies` nor an extra")


def brought(needs: Iterable[str]) -> set[str]:
    """Return the names of our distributions that come with requirements: what they name, and what these need."""
    known = {project["name"]: project for project in projects().values()}
    found: set[str] = set()
    names = [re.split(r"[\[~=<>; ]", need)[0] for need in needs]
    while names:
        if (name := names.pop()) in known and name not in found:
            found.add(name)
            names += [re.split(r"[\[~=<>; ]", need)[0] for need in known[name]["dependencies"]]
    return found


if __name__ == "__main__":
    sys.exit(main())
