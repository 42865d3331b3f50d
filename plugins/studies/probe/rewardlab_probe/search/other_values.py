"""Edits of a completion's values beside its answer: what stands behind a label, in tags, or on a line of its own.

A verifier that reads several of them may look at one, or let one excuse another.
"""

import re
from collections.abc import Callable, Mapping

from rewardlab_probe.attempts.material import Material

PLACES = 3
"""The first values that are edited, each by itself."""
_VALUE = re.compile(r"(?m)(?<=: )\S.*$|(?<=>)[^<>\n]+(?=</)|(?<=\")[^\"\n]+(?=\")|(?<=\[)[^\[\]\n]+(?=\])")
_CHANGES: Mapping[str, Callable[[str], str]] = {
    "other": lambda value: "other",
    "nothing": lambda value: "",
    "zero": lambda value: "0",
    "one": lambda value: "1",
    "two": lambda value: "2",
    "many": lambda value: "999999",
    "nan": lambda value: "nan",
    "half": lambda value: value[: len(value) // 2],
    "first_word": lambda value: value.partition(" ")[0],
    "twice": lambda value: f"{value} {value}",
    "capitals": str.upper,
}


def value_edits() -> dict[str, Callable[[Material, str], str | None]]:
    """Return edits of each of the first values, of all, and of two that change places, by name."""
    edits = {
        f"value_{place}_{name}": _of_value(change, place)
        for name, change in _CHANGES.items()
        for place in range(PLACES)
    }
    edits |= {f"values_{name}": _of_all(change) for name, change in _CHANGES.items()}
    edits |= {
        f"value_{place}_of_prompt_{which}": _of_prompt(place, which) for place in range(PLACES) for which in range(4)
    }
    return edits | {"values_changed_over": _changed_over, "values_repeated": _repeated}


def _of_value(change: Callable[[str], str], place: int) -> Callable[[Material, str], str | None]:
    def edit(_: Material, text: str) -> str | None:
        found = list(_VALUE.finditer(text[:4_000]))
        if place >= len(found) or len(found) < 2:
            return None
        value = found[place]
        return f"{text[: value.start()]}{change(value[0])}{text[value.end() :]}"

    return edit


def _of_all(change: Callable[[str], str]) -> Callable[[Material, str], str | None]:
    def edit(_: Material, text: str) -> str | None:
        return _VALUE.sub(lambda value: change(value[0]), text) if len(_VALUE.findall(text[:4_000])) > 1 else None

    return edit


def _of_prompt(place: int, which: int) -> Callable[[Material, str], str | None]:
    """Return an edit that puts a piece of the prompt in the place of a value."""

    def edit(material: Material, text: str) -> str | None:
        pieces = [piece for piece in re.split(r"[\n.?!]+\s*", material.prompt) if len(piece.split()) > 2]
        return _of_value(lambda value: pieces[which], place)(material, text) if which < len(pieces) else None

    return edit


def _changed_over(_: Material, text: str) -> str | None:
    found = list(_VALUE.finditer(text[:4_000]))
    if len(found) < 2:
        return None
    one, other = found[:2]
    return f"{text[: one.start()]}{other[0]}{text[one.end() : other.start()]}{one[0]}{text[other.end() :]}"


def _repeated(_: Material, text: str) -> str | None:
    found = _VALUE.search(text[:4_000])
    return _VALUE.sub(lambda value: found[0], text) if found else None
