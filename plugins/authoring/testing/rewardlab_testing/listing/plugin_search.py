"""The search for plugins by a word: among what is installed, and among what is known (known_plugins.yaml)."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import yaml
from rewardlab.registry import Registry, first_party, installed, pip_install
from rewardlab_training import columns

from rewardlab_testing.listing.listing import component_rows

KNOWN = "known_plugins.yaml"


def search_plugins(words: str, registry: Registry | None = None) -> list[dict[str, Any]]:
    """Return what has all words in its names or its summary: installed components, then known plugins.

    A row has `name`, `summary` and `get`, which is how to have it: "installed", or a command.
    """
    registry = registry or installed()
    here = [row for name in registry.names() for row in component_rows(registry.plugin(name))]
    there = {row["distribution"] for row in here}
    rows = [{"name": row["use"], "summary": row["summary"], "get": "installed"} for row in here]
    known = [(plugin["distribution"], plugin["summary"], pip_install(name)) for name, plugin in first_party().items()]
    known += [
        (known_plugin["distribution"], known_plugin["summary"], f"pip install {known_plugin['distribution']}")
        for known_plugin in known_plugins()
    ]
    rows += [{"name": name, "summary": summary, "get": get} for name, summary, get in known if name not in there]
    wanted = words.casefold().split()
    return [row for row in rows if all(word in f"{row['name']} {row['summary']}".casefold() for word in wanted)]


def known_plugins() -> list[dict[str, str]]:
    """Return the plugins of others that known_plugins.yaml lists: distribution, summary, source."""
    plugins: list[dict[str, str]] = yaml.safe_load((files(__package__) / KNOWN).read_text("utf-8"))
    return plugins


def format_found(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table with a line for each plugin or component that was found."""
    head = ("name", "get", "summary")
    return "\n".join(columns([head, *(tuple(row[key] for key in head) for row in rows)]))
