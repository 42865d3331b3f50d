"""The plugins of the same repository, installed or not: which pip install brings each, and what it holds.

`first_party.json` is written by `release/lists.py` from the folder plugins/, so that this package names none of them.
"""

import json
import os
from functools import cache
from typing import Any, Literal, TypedDict

CONSTRAINTS = "constraints.txt"
"""the file at the root of a clone by which pip takes our distributions from there"""


class FirstParty(TypedDict):
    """A plugin of ours.

    Args:
        folder: its place in plugins/, such as rewards/math.
        extra: that of the distribution `rewardlab` which brings it; "" if that brings it anyway.
        needs: our other plugins that come with it.
    """

    distribution: str
    folder: str
    extra: str
    needs: list[str]
    summary: str
    components: list[str]
    commands: dict[str, str]
    actions: list[str]
    formats: list[str]


def first_party() -> dict[str, FirstParty]:
    """Return our plugins by the names that recipes use."""
    first_parties: dict[str, FirstParty] = _known()["plugins"]
    return first_parties


def pip_install(plugin: str) -> str:
    """Return the command that installs a plugin of ours from where this core came from: a clone, or an index.

    If that is no clone that is still there, and nothing of ours is on an index yet, it says where to type it.
    """
    from shlex import join

    row = first_party()[plugin]
    clone, flags = _clone()
    if clone:
        folders = [os.path.join(clone, "plugins", first_party()[name]["folder"]) for name in (*row["needs"], plugin)]
        return join(["pip", "install", *(word for folder in folders for word in (*flags, folder))])
    if _known()["published"]:
        return f"pip install {row['distribution']}"
    return f"at the root of a clone of rewardlab, pip install -c {CONSTRAINTS} {row['distribution']}"


def installation(plugin: str) -> str:
    """Return the words of a hint, "pip install ... brings it"; nothing if no recipe can name the plugin."""
    row = first_party().get(plugin)
    return f"{pip_install(plugin)} brings it" if row and (row["components"] or row["commands"]) else ""


def our_commands() -> dict[str, str]:
    """Return the commands of this repository, installed or not, with their summaries."""
    commands: dict[str, str] = dict(_known()["core_commands"])
    return commands | {name: text for plugin in first_party().values() for name, text in plugin["commands"].items()}


def plugin_with(kind: Literal["commands", "formats", "actions"], name: str) -> str | None:
    """Return the plugin of ours that has a command, an ending of row files or an action's hook; None if none has."""
    return next((plugin for plugin, row in first_party().items() if name in row[kind]), None)


@cache
def _known() -> dict[str, Any]:
    with open(__file__.removesuffix("py") + "json", encoding="utf-8") as file:  # pathlib takes longer to import
        known: dict[str, Any] = json.load(file)
    return known


@cache
def _clone() -> tuple[str, tuple[str, ...]]:
    """Return the clone that this core came from, and pip's flags for what is to be as it is; "" if there is none."""
    from glob import escape, iglob
    from urllib.parse import unquote

    home = os.path.dirname(os.path.dirname(__file__))
    clone = os.path.dirname(home)
    if os.path.isfile(os.path.join(clone, CONSTRAINTS)):
        return clone, ("-e",)
    for place in iglob(f"{escape(home)}/rewardlab_core-*.dist-info/direct_url.json"):
        with open(place, encoding="utf-8") as file:
            clone = os.path.dirname(unquote(json.load(file)["url"].removeprefix("file://")))
        if os.path.isfile(os.path.join(clone, CONSTRAINTS)):
            return clone, ()
    return "", ()
