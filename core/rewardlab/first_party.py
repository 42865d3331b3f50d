"""The plugins of the same repository, installed or not: which pip install brings each, and what it holds.

`first_party.json` is written by `release/lists.py` from the folder plugins/, so that this package names none of them.
"""

import json
import os
import sys
from functools import cache
from typing import TypedDict


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


def command_owner(command: str) -> str | None:
    """Return the plugin of ours that has this command; None if none has."""
    return next((name for name, plugin in first_party().items() if command in plugin["commands"]), None)


def format_owner(ending: str) -> str | None:
    """Return the plugin of ours that reads files of rows whose names end so, such as "csv"; None if none does."""
    return next((name for name, plugin in first_party().items() if ending in plugin["formats"]), None)


def action_owner(hook: str) -> str | None:
    """Return the plugin of ours that implements a hook which does something; None if none does."""
    return next((name for name, plugin in first_party().items() if hook in plugin["actions"]), None)


def states_of_path() -> tuple[tuple[str, int, int], ...]:
    """Return what changes about the folders of sys.path when a distribution is put into one or taken away."""
    return tuple(_state_of(folder) for folder in sys.path)


def _state_of(folder: str) -> tuple[str, int, int]:
    try:
        found = os.stat(folder or ".")
    except OSError:
        return folder, 0, 0
    return folder, found.st_ino, found.st_mtime_ns
