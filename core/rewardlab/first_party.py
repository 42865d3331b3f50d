"""The plugins of the same repository, installed or not: which pip install brings each, and what it holds.

`first_party.json` is written by `release/lists.py` from the folder plugins/, so that this package names none of them.
"""

import json
from functools import cache
from typing import Literal, TypedDict


class FirstParty(TypedDict):
    """A plugin of ours. extra: that of the distribution `rewardlab` which brings it; "" if that brings it anyway."""

    distribution: str
    extra: str
    summary: str
    components: list[str]
    commands: dict[str, str]
    actions: list[str]
    formats: list[str]


@cache
def first_party() -> dict[str, FirstParty]:
    """Return our plugins by the names that recipes use."""
    with open(__file__.removesuffix("py") + "json", encoding="utf-8") as file:  # pathlib takes longer to import
        found: dict[str, FirstParty] = json.load(file)
    return found


def installation(plugin: str) -> str:
    """Return the words of a hint, "pip install ... brings it"; nothing if no recipe can name the plugin."""
    found = first_party().get(plugin)
    return (
        f"pip install {found['distribution']} brings it" if found and (found["components"] or found["commands"]) else ""
    )


def plugin_with(of: Literal["commands", "formats", "actions"], name: str) -> str | None:
    """Return the plugin of ours that has a command, an ending of row files or an action's hook; None if none has."""
    return next((plugin for plugin, found in first_party().items() if name in found[of]), None)
