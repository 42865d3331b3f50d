"""The tables beside this file: dressings, payloads, pieces of programs and units, as data."""

import tomllib
from importlib.resources import files
from typing import Any


def table(name: str) -> dict[str, Any]:
    """Return what a table has, by key."""
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
