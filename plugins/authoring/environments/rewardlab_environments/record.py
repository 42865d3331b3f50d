"""The record of an environment, ready.json: written when all of the environment is there."""

import json
import os
from dataclasses import asdict, dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Literal

from rewardlab.files import read_json

from .identity import python_in

READY = "ready.json"

State = Literal["ready", "half-built", "without its Python", "absent"]


@dataclass(frozen=True, kw_only=True)
class BuildRecord:
    """The content of ready.json.

    Args:
        identity: what was asked for (EnvironmentDefinition.identity).
        base: the interpreter that the environment was made from.
        versions: distribution -> installed version.
        built: UTC, ISO 8601.
        seconds: the duration of the build.
        installer: "pip" or "uv".
    """

    name: str
    key: str
    identity: dict[str, Any]
    base: str
    versions: dict[str, str]
    built: str
    seconds: float
    installer: str


def write_record(folder: Path, record: BuildRecord) -> None:
    """Write the record, whole or not at all; from then on the environment is used."""
    scratch = folder / f".{READY}.writing"
    with open(scratch, "w", encoding="utf-8") as file:
        json.dump(asdict(record), file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    scratch.rename(folder / READY)


def read_record(folder: Path) -> BuildRecord | None:
    """Return the record of an environment; None if it has none that can be read."""
    try:
        return BuildRecord(**read_json(folder / READY))
    except (OSError, ValueError, TypeError):
        return None


def state_of(folder: Path) -> State:
    """Return whether the environment in a folder can be used; no process is started for that."""
    if read_record(folder) is None:
        return "half-built" if folder.exists() else "absent"
    # The environment's python is a link to the one that it was made from, which an upgrade may have removed.
    return "ready" if os.access(python_in(folder), os.X_OK) else "without its Python"


def installed_in(folder: Path) -> dict[str, str]:
    """Return the versions of the distributions in an environment, by name."""
    places = [str(place) for place in folder.glob("lib/python*/site-packages")]
    return dict(sorted((distribution.name, distribution.version) for distribution in distributions(path=places)))
