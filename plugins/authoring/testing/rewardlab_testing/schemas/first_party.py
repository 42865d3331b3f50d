"""The plugins of this repository, among all that are installed."""

import re
import tomllib
from pathlib import Path
from shlex import quote

from rewardlab.errors import UserError
from rewardlab.registry import ENTRY_POINT_GROUP, Plugin, Registry


def first_party_plugins(registry: Registry, root: Path) -> list[Plugin]:
    """Return the plugins of the distributions in `root`/plugins; raise a UserError if one is not installed.

    A distribution without the entry point of plugins has no components: a bridge to another tool.
    """
    folders = {}
    files = [*root.glob("plugins/*/pyproject.toml"), *root.glob("plugins/*/*/pyproject.toml")]  # or in wings
    for path in sorted(files):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        if ENTRY_POINT_GROUP in project.get("entry-points", {}):
            folders[_canonical(project["name"])] = path.parent
    if not folders:
        problem = "no distributions in ./plugins; `-o DIR` writes the schemas of all that is installed"
        raise UserError(problem, where=str(root))
    owned = [(plugin, {*map(_canonical, plugin.distribution.split(" + "))}) for plugin in registry]
    installed = {name for _, owners in owned for name in owners}
    for name, folder in folders.items():
        if name not in installed:
            raise UserError(f"it is not installed; pip install -e {quote(str(folder))}", where=name)
    return [plugin for plugin, owners in owned if owners & folders.keys()]


def _canonical(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()
