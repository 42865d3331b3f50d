"""Write what follows from the folder plugins/: everything that would else be a list of plugins kept by hand.

    python release/lists.py            writes the files
    python release/lists.py --check    exit code 1 if one is not up to date

A new plugin needs its folder, and a line under `dependencies` or an extra in pyproject.toml; this script does the rest.

Pages and recipes say how ours are installed by commands that begin with "pip install rewardlab" or "uvx rewardlab".
While the project is not published (release/project.toml) they get `-c constraints.txt`, by which they work at the root
of a clone; once it is, lines marked "until published" are left out.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from rewardlab.first_party import CONSTRAINTS
from rewardlab.plan.planner import draft_plan
from rewardlab.recipe.loading import load
from rewardlab.recipe.models import needs_engine
from rewardlab.registry import Plugin, Registry

ROOT = Path(__file__).parents[1]
PROJECT = Path(__file__).with_name("project.toml")
CORE, META = "rewardlab-core", "rewardlab"
CONSTRAINTS_HEAD = """\
# Our distributions as they are in this clone, for pip and uv at its root, in whose path is no blank:
# pip install -c constraints.txt 'rewardlab[trl]'; written by release/lists.py
"""
INSTALLS_OURS = re.compile(rf"(pip install|uvx) (?:-c {re.escape(CONSTRAINTS)} )?(?='?rewardlab\b)")
UNTIL_PUBLISHED = re.compile(r"(?m)^.*\buntil published\b.*\n")


def main() -> int:
    """Write the files, or say which ones are not up to date."""
    check = "--check" in sys.argv
    stale = {path: text for path, text in written().items() if path.read_text(encoding="utf-8") != text}
    for path, text in stale.items():
        print(f"{path.relative_to(ROOT)}: {'not up to date' if check else 'written'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return 1 if stale and check else 0


def written() -> dict[Path, str]:
    """Return the files that follow from plugins/, and whether the project is published, with their text."""
    texts = {**pages(), **_lists()}
    return {path: as_published(text, published()) for path, text in texts.items()}


def _lists() -> dict[Path, str]:
    extras = {path: recipe_extras(path) for path in sorted((ROOT / "recipes").rglob("*.yaml"))}
    tables = {"plugins": _table_of_plugins(), "recipes": _table_of_recipes(extras)}
    return {
        ROOT / "core/rewardlab/first_party.json": _known_to_core(),
        ROOT / CONSTRAINTS: _constraints(),
        ROOT / "pyproject.toml": _pyproject(),
        ROOT / "docs/install.md": _with_tables((ROOT / "docs/install.md").read_text(encoding="utf-8"), tables),
        **{path: _requirements(path) for path in ROOT.glob("requirements*.txt") if _has_ours(path)},
        **{path: _recipe(path, extras_of) for path, extras_of in extras.items()},
    }


@cache
def projects() -> dict[str, dict[str, Any]]:
    """Return what the pyproject of each plugin says, by the name of its folder, and of the whole, META."""
    paths = {path.parent.name: path for path in sorted(ROOT.glob("plugins/*/*/pyproject.toml"))}
    paths[META] = ROOT / "pyproject.toml"
    return {name: tomllib.loads(path.read_text(encoding="utf-8"))["project"] for name, path in paths.items()}


def folder(name: str) -> str:
    """Return the place of a plugin in plugins/, such as rewards/math."""
    return f"{next(ROOT.glob(f'plugins/*/{name}/pyproject.toml')).parent.parent.name}/{name}"


def brought(needs: Iterable[str]) -> list[str]:
    """Return the folders of the plugins that come with requirements, and META: what they name, and what these need."""
    by_name = {project["name"]: name for name, project in projects().items()}
    folders: set[str] = set()
    left = [*needs]
    while left:
        name = by_name.get(re.split(r"[\[~=<>; ]", left.pop())[0])
        if name is not None and name not in folders:
            folders.add(name)
            left += projects()[name]["dependencies"]
    return sorted(folders)


# --- How ours are installed


def published() -> bool:
    """Return whether a package index has our distributions."""
    return bool(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["published"])


def pages() -> dict[Path, str]:
    """Return the files that git knows in which people read how ours are installed."""
    kinds = ("*.md", "*.yaml", "*.yml", "*.ipynb", "*.tmpl")
    listed = subprocess.run(
        ["git", "ls-files", "-z", *kinds], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    )
    return {ROOT / name: (ROOT / name).read_text(encoding="utf-8") for name in listed.stdout.split("\0") if name}


def as_published(text: str, is_published: bool) -> str:
    """Return a text in which our distributions come from an index, or from a clone."""
    if is_published:
        return UNTIL_PUBLISHED.sub("", INSTALLS_OURS.sub(r"\1 ", text))
    return INSTALLS_OURS.sub(rf"\1 -c {CONSTRAINTS} ", text)


def _constraints() -> str:
    """Return the file by which pip and uv take our distributions from the clone in whose root they are started."""
    folders = {"": projects()[META]["name"], "/core": CORE}
    folders |= {f"/plugins/{folder(name)}": project["name"] for name, project in projects().items() if name != META}
    return CONSTRAINTS_HEAD + "".join(f"{name} @ file://${{PWD}}{folder}\n" for folder, name in folders.items())


# --- What the core knows of plugins that are not installed


def _known_to_core() -> str:
    core = tomllib.loads((ROOT / "core/pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = {"published": published(), "core_commands": _commands(core), "plugins": rows()}
    return json.dumps(known, indent=1, ensure_ascii=False) + "\n"


@cache
def rows() -> dict[str, dict[str, Any]]:
    """Return the plugins of first_party.json."""
    registry = Registry()
    return {name: _row(name, project, registry) for name, project in projects().items() if name != META}


def _row(name: str, project: dict[str, Any], registry: Registry) -> dict[str, Any]:
    plugins = [registry.usable(point) for point in project.get("entry-points", {}).get("rewardlab", {})]
    return {
        "distribution": project["name"],
        "folder": folder(name),
        "extra": _extra_of(name),
        "needs": brought(project["dependencies"]),
        "summary": project["description"].removeprefix("rewardlab plugin: "),
        "components": sorted(component for plugin in plugins for component in _components(plugin)),
        "commands": _commands(project),
        "actions": sorted({hook for plugin in plugins for hook, hooks in plugin.actions.items() if hooks}),
        "formats": sorted(project.get("entry-points", {}).get("rewardlab.row_formats", {})),
    }


def _commands(project: dict[str, Any]) -> dict[str, str]:
    """Return the commands of a distribution with their summaries."""
    modules = project.get("entry-points", {}).get("rewardlab.commands", {})
    return {command: import_module(module).SUMMARY for command, module in modules.items()}


def _components(plugin: Plugin) -> Iterator[str]:
    for (kind, _), spec in plugin.specs.items():
        yield f"{kind} {plugin.use(spec)}"


def _extra_of(name: str) -> str:
    """Return the extra of the distribution rewardlab that brings a plugin; nothing if it depends on it anyway."""
    meta = projects()[META]
    if name in brought(meta["dependencies"]):
        return ""
    for extra, needs in meta["optional-dependencies"].items():
        if name in brought(needs):
            return str(extra)
    raise SystemExit(f"pyproject.toml: {projects()[name]['name']} is neither under `dependencies` nor an extra")


# --- What is installed together


def together() -> list[str]:
    """Return the plugins of requirements.txt: all but those whose packages want an environment of their own."""
    return [name for name in projects() if name != META and not (ROOT / f"requirements-{name}.txt").exists()]


def _has_ours(path: Path) -> bool:
    return "\n-e " in path.read_text(encoding="utf-8")


def _requirements(path: Path) -> str:
    """Return a requirements file with the lines of our distributions as they should be.

    requirements.txt has all; requirements-NAME.txt, for the tests of one plugin, what its extra `test` names.
    """
    needed = together()
    if path.name != "requirements.txt":
        owner = next(name for name in projects() if path.stem.startswith(f"requirements-{name}"))
        needs = [projects()[owner]["name"], *projects()[owner]["optional-dependencies"]["test"]]
        needed = brought(needs)
    folders = ["."] if META in needed or path.name == "requirements.txt" else []
    folders += ["./core", *(f"./plugins/{folder(name)}" for name in needed if name != META)]
    lines = "".join(f"-e {folder}\n" for folder in folders)
    return re.sub(r"(?m)(^-e .*\n)+", lines, path.read_text(encoding="utf-8"), count=1)


def _pyproject() -> str:
    """Return pyproject.toml with the packages that import-linter looks at, and the floors that they stand on."""
    packages = [f"rewardlab_{name}" for name in together()]
    floors: dict[int, list[str]] = {}
    for name in together():
        floors.setdefault(_floor(name), []).append(f"rewardlab_{name}")
    layers = "".join(f'    "{" | ".join(floors[floor])}",\n' for floor in sorted(floors, reverse=True))
    listed = "".join(f'    "{package}",\n' for package in ["rewardlab", *packages])
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    text = re.sub(r'(?m)(^(root_packages|ancestors) = \[\n)(    "rewardlab\w*",\n)+', rf"\g<1>{listed}", text)
    return re.sub(r'(?m)(^layers = \[\n)(    "rewardlab_.*",\n)+', rf"\g<1>{layers}", text, count=1)


def _floor(name: str) -> int:
    """Return how many floors of plugins lie below one."""
    return max((1 + _floor(below) for below in brought(projects()[name]["dependencies"])), default=0)


# --- What recipes need


def recipe_extras(path: Path) -> list[str]:
    """Return the extras of the distribution rewardlab that a recipe needs, by what it names and whether it trains."""
    document = load(path)
    plan = draft_plan(document, None, "run").plan
    assert plan is not None, path
    named = {*plan.plugins}
    if plan.backend is not None and "backend" not in document.tree and not any(map(needs_engine, plan.recipe.stages)):
        named.discard(plan.backend.use.use.partition("/")[0])
    return sorted({rows()[name]["extra"] for name in named if name in rows()} - {""})


def installation(extras: Iterable[str]) -> str:
    """Return the command that installs rewardlab with some of its extras."""
    return f"pip install 'rewardlab[{','.join(extras)}]'" if extras else "pip install rewardlab"


def _recipe(path: Path, extras: list[str]) -> str:
    """Return a recipe whose head says what it needs."""
    return re.sub(r"(?m)# pip install .*$", f"# {installation(extras)}", path.read_text(encoding="utf-8"), count=1)


# --- Tables of docs/install.md


def _with_tables(page: str, tables: dict[str, str]) -> str:
    for name, table in tables.items():
        page = re.sub(rf"(<!-- {name} -->\n)(\|.*\n)*", lambda head, table=table: head[1] + table, page)
    return page


def _table_of_plugins() -> str:
    lines = [
        f"| {name} | `{installation([row['extra']] if row['extra'] else [])}` | {row['summary']} |\n"
        for name, row in rows().items()
    ]
    return "".join(["| plugin | comes with | has |\n|---|---|---|\n", *lines])


def _table_of_recipes(extras: dict[Path, list[str]]) -> str:
    by_extras: dict[str, list[str]] = {}
    for path, extras_of in extras.items():
        name = path.relative_to(ROOT / "recipes").with_suffix("").as_posix()
        by_extras.setdefault(installation(extras_of), []).append(name)
    lines = [f"| `{command}` | {', '.join(names)} |\n" for command, names in sorted(by_extras.items())]
    return "".join(["| first | then these recipes can be run |\n|---|---|\n", *lines])


if __name__ == "__main__":
    sys.exit(main())
