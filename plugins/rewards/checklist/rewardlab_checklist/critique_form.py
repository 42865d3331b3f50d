"""Read what a JSON value says about each part of a work, in any of the plain forms of a critique.

The form that is asked for is {part: {dimension: entry}}. More have one meaning and are read as well: the same
without the parts, if the dimensions' names identify them, or within one more list or mapping; dimensions as a list of
entries, each with or under its name; and names and keys in another case.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rewardlab_format.tasks import task_label

from rewardlab_checklist.checklist import Checklist, Dimension

SEVERAL = object()
"""stands for what one object says twice, in two ways"""
NAME_KEYS = ("dimension", "name", "dimension_name", "dimension name")
"""keys of an entry of a list, with the dimension's name"""
_LIST_KEYS = ("dimensions", "evaluation_dimensions", "evaluation dimensions")
Entries = dict[str, dict[str, Any]]
"""part -> dimension, as the reply writes it -> entry"""


def without_repeats(pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Return pairs as a mapping; a key that appears twice with different values has SEVERAL."""
    entries: dict[str, Any] = {}
    for key, value in pairs:
        entries[str(key)] = value if str(key) not in entries or entries[str(key)] == value else SEVERAL
    return entries


def entries_of(value: Any, lists: Mapping[str, Checklist]) -> Entries:
    """Return what a value says by part and dimension; empty if it is not a critique by these checklists."""
    if isinstance(value, list) and len(value) == 1 and _name_of(value[0]) is None:
        value = value[0]
    if isinstance(value, dict):
        keys = without_repeats((str(key).strip().casefold(), inner) for key, inner in value.items())
        parts = {part: keys[part] for part in lists if part in keys}
        if parts:
            entries: dict[str, dict[str, Any] | None] = {part: _dimensions(inner) for part, inner in parts.items()}
            twice = [part for part, inner in parts.items() if inner is SEVERAL]
            entries |= {part: {dimension.name: SEVERAL for dimension in lists[part].dimensions} for part in twice}
            return {part: dimensions for part, dimensions in entries.items() if dimensions is not None}
    dimensions = _dimensions(value)
    return {} if dimensions is None else _by_their_names(dimensions, lists)


def score_of(entry: Any) -> Any:
    """Return the score of a dimension's entry, which may be the score itself."""
    return entry.get("score") if isinstance(entry, dict) else entry


def claim_of(dimension: Dimension, entry: Any) -> Any:
    """Return the score or the task that an entry gives, to be compared; None without one that can be read."""
    if entry is SEVERAL or score_of(entry) is SEVERAL:
        return SEVERAL
    return recognised(dimension, entry) if dimension.recognises else dimension.worth_of(score_of(entry))


def recognised(dimension: Dimension, entry: Any) -> str | None:
    """Return which of a dimension's labels of tasks an entry gives; None for none."""
    label = entry.get("score", entry.get("label", entry.get("task"))) if isinstance(entry, dict) else entry
    if not isinstance(label, str):
        return None
    wanted = task_key(label)
    return next(
        (recognised_label for recognised_label in dimension.recognises if task_key(recognised_label) == wanted), None
    )


def task_key(name: str) -> str:
    """Return a task's name as it is compared: its label if the table has one, case-folded."""
    return (task_label(name) or name.strip(" .\"'*_`\n\t")).casefold()


def key_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of what the pattern `name` matches as the key of something, quoted or not."""
    return re.compile(rf"(?:{name})[\"'“”‘’`*_\\\s]{{0,8}}[:=：]")


def _dimensions(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict):
        value = next((inner for key, inner in value.items() if key.strip().casefold() in _LIST_KEYS), value)
    if isinstance(value, list):
        value = _by_name(value)
    return {name: _entry(inner) for name, inner in value.items()} if isinstance(value, dict) else None


def _by_name(entries: list[Any]) -> dict[str, Any] | None:
    """Return a list's entries by the dimension that each names, or is under; None if one does neither."""
    pairs: list[tuple[Any, Any]] = []
    for entry in entries:
        if (name := _name_of(entry)) is not None:
            pairs.append((name, entry))
        elif isinstance(entry, dict) and len(entry) == 1:
            pairs += entry.items()
        else:
            return None
    return without_repeats(pairs) if pairs else None


def _entry(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return without_repeats((str(key).strip().casefold(), inner) for key, inner in value.items())


def _name_of(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return None
    names = [inner for key, inner in entry.items() if key.strip().casefold() in NAME_KEYS]
    return names[0] if len(names) == 1 and isinstance(names[0], str) else None


def _by_their_names(named: Mapping[str, Any], lists: Mapping[str, Checklist]) -> Entries:
    """Return dimensions without parts in the part whose checklist alone has them; empty if two have one."""
    entries: Entries = {}
    for name, entry in named.items():
        owners = [part for part, made in lists.items() if made.dimension(name) is not None]
        if len(owners) > 1:
            return {}
        if owners:
            entries.setdefault(owners[0], {})[name] = entry
    return entries
