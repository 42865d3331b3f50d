"""The settings of an engine, as its plugin packages them: names, types and values, read without the engine.

`release/engine_settings.py` writes the files from the engine's wheel.
"""

import gzip
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from rewardlab.errors import nearest

KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "flag": ("true (or leave it out)", lambda value: value is True),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "int": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "float": ("a number", lambda value: _is_number(value)),
    "text": ("a text", lambda value: isinstance(value, str)),
    "list": ("a list", lambda value: isinstance(value, list)),
    "ints": ("whole numbers", lambda value: _all(value, "int")),
    "floats": ("numbers", lambda value: _all(value, "float")),
    "texts": ("texts", lambda value: _all(value, "text")),
    "null": ("", lambda value: value is None),
    "any": ("", lambda value: True),
}
"""kind of a setting -> what it takes, in words, and whether a value is that"""
OPEN = "open"
"""the kind of a mapping in which the engine takes any name"""


class EngineSetting(NamedTuple):
    """One setting: its kind (several with | between them), what it does, and its values if they are listed."""

    kind: str
    about: str = ""
    values: Sequence[str] = ()

    def problem(self, value: object) -> str | None:
        """Return why the engine does not take a value, or None."""
        kinds = self.kind.split("|")
        taken = any(KINDS[kind][1](value) for kind in kinds)
        if self.values and not (taken and not isinstance(value, str)) and value not in self.values:
            return f"takes {' or '.join(self.values)}, not {value!r}{_near(value, self.values)}"
        if taken:
            return None
        return f"takes {' or '.join(KINDS[kind][0] for kind in kinds if KINDS[kind][0])}, not {_shown(value)}"

    def line(self, engine: str, name: str, value: object) -> str:
        """Return the line of a dry run that says what is passed on, and what it does."""
        return f"passed to {engine}: {name}: {_shown(value)}" + (f" ({self.about})" if self.about else "")


@cache
def packaged_settings(package: str, version: str) -> Mapping[str, Any]:
    """Return the programs of an engine, each with its settings as the script writes them; package: of the plugin."""
    data = files(package).joinpath("engine_settings", f"{version}.json.gz").read_bytes()
    programs: Mapping[str, Any] = json.loads(gzip.decompress(data))
    return programs


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _all(value: object, kind: str) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(KINDS[kind][1](item) for item in items)


def _near(value: object, values: Sequence[str]) -> str:
    near = nearest(str(value), values)
    return near if near.startswith("; did you mean") else ""


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
