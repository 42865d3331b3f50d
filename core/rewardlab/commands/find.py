"""Commands by name, and lists of them: ours, our plugins', and third parties', found by metadata without imports."""

import os
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

from rewardlab.commands.built_in import BUILT_IN
from rewardlab.first_party import first_party, installation, plugin_with
from rewardlab.specs.entry_points import states_of_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rewardlab.specs.command_spec import CommandSpec


def find(name: str) -> "CommandSpec | None":
    """Return the command of this name, ours or a plugin's; None if there is none.

    A UserError names both distributions if two offer it, and the pip install that brings it if one of ours would.
    """
    ours = next((spec for spec in BUILT_IN if spec.name == name), None)
    others = third_parties()
    if ours is not None and not others:
        return ours
    from rewardlab.registry.registry import command_of_ours, find_command, installed

    found = (find_command(name, installed()) if others else None) or ours
    return command_of_ours(name) if found is None and plugin_with("commands", name) is not None else found


def of_our_plugins(installed: bool) -> list[tuple[str, str]]:
    """Return the commands of our plugins that are installed; or are not, and the pip install that brings them."""
    here = _distributions()
    return [
        (command, summary if installed else f"{summary} ({installation(name)})")
        for name, plugin in first_party().items()
        if (plugin["distribution"] in here) is installed
        for command, summary in plugin["commands"].items()
    ]


def of_third_parties() -> list[tuple[str, str]]:
    """Return the commands of plugins that are not ours, with their origin. A broken plugin has none."""
    if not third_parties():
        return []
    from rewardlab.registry.registry import installed
    from rewardlab.text.printable import printable

    registry = installed()
    plugins = [registry.plugin(name) for name in _entry_points_of_others(states_of_path())]
    return [
        (printable(name), printable(f"{spec.summary} ({plugin.distribution} {plugin.version})"))
        for plugin in plugins
        for name, spec in plugin.commands.items()
    ]


def third_parties() -> bool:
    """Return whether others have plugins here that may offer commands, by a look at metadata that costs 3 ms."""
    return bool(_entry_points_of_others(states_of_path()))


@lru_cache(maxsize=4)
def _entry_points_of_others(_states: object) -> "Sequence[str]":
    """Return the names of plugins that are not ours and whose module names the hook of commands.

    The metadata is read as text, and no module is imported: importlib's reader takes 30 ms, and plugins' modules 200.
    """
    names: dict[str, None] = {}
    own = {"rewardlab", "rewardlab-core", *(plugin["distribution"] for plugin in first_party().values())}
    for distribution, folders in _distributions().items():
        for folder in folders if distribution not in own else ():
            _, _, ours = _text(os.path.join(folder, "entry_points.txt")).partition("[rewardlab]\n")
            for line in ours.partition("[")[0].splitlines():
                name, _, module = line.replace(" ", "").partition("=")
                if module and "rewardlab_commands" in _source(module.partition(":")[0]):
                    names[name] = None
    return list(names)


def _source(module: str) -> str:
    """Return the text of a module; of one that cannot be found, nothing."""
    path = module.replace(".", os.sep)
    files = (os.path.join(folder, path + end) for folder in sys.path for end in (".py", os.sep + "__init__.py"))
    return next((text for file in files if (text := _text(file))), "")


def _distributions() -> dict[str, list[str]]:
    """Return the folders with the metadata of what is installed, by the names of the distributions."""
    distributions: dict[str, list[str]] = {}
    for folder in dict.fromkeys(sys.path):
        for entry in _entries(folder or "."):
            if entry.name.endswith((".dist-info", ".egg-info")):
                distributions.setdefault(re.split("-[0-9]", entry.name)[0].replace("_", "-"), []).append(entry.path)
    return distributions


def _entries(folder: str) -> "list[os.DirEntry[str]]":
    try:
        return list(os.scandir(folder))
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
