"""The questions on whose answers a judge was trained: a field of its rows, kept in a file of the model's folder."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rewardlab import Sample
from rewardlab.files import expanded, read_json, write_json

FIELD = "asked"
"""the field of a row that says how its prompt was made: JSON values, with `use`, the reward that asks so"""
FILE = "asked.json"
VERSION = 1


def keep_asked(folder: Path, samples: Iterable[Sample]) -> None:
    """Write the ways in which the rows of a training were asked to `asked.json` in its model's folder, if they say."""
    ways: dict[str, Any] = {}
    for sample in samples:
        way = sample.fields.get(FIELD)
        if isinstance(way, Mapping) and isinstance(way.get("use"), str):
            ways.setdefault(json.dumps(way, sort_keys=True), way)
    if ways:
        write_json(folder / FILE, {"version": VERSION, "ways": list(ways.values())})


def read_asked(folder: str) -> list[dict[str, Any]]:
    """Return the ways in which the rows were asked on which the model in a folder was trained.

    A ValueError says what is wrong with the folder or its file.
    """
    path = expanded(folder) / FILE
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {folder}; name that of the trained model, such as runs/.../models/1-sft")
    if not path.is_file():
        problem = "was not trained by rewardlab on rows that say how they were asked"
        raise ValueError(f"{folder} has no {FILE}: this model {problem}; leave `trained` out and say it in the recipe")
    try:
        data = read_json(path)
        version, ways = data["version"], data["ways"]
        if version != VERSION or not ways or not all(isinstance(way["use"], str) for way in ways):
            raise ValueError
    except (OSError, ValueError, LookupError, TypeError):
        raise ValueError(
            f"{path} is not a whole file of version {VERSION}; copy it anew from the run's folder"
        ) from None
    return list(ways)
