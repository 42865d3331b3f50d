"""Edits of an answer in JSON: members and fields left out, repeated or emptied, with other values or types."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PLACES = 4
"""Fields of an object, and members of a list, that are edited each by itself."""
_EMPTY: Mapping[type, Any] = {str: "", int: 0, float: 0.0, list: [], dict: {}, bool: False}


def other_value(value: Any) -> Any:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 7
        case str():
            return "other" if value != "other" else "another"
        case list():
            return [other_value(inner) for inner in value] or ["other"]
        case dict():
            return {key: other_value(inner) for key, inner in value.items()} or {"other": 1}
    return "other"


def _leaves(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a change of each value that has no others in it."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(inner) for key, inner in value.items()}
        return [changed(inner) for inner in value] if isinstance(value, list) else change(value)

    return changed


def _inside(change: Callable[[Sequence[Any]], Any]) -> Callable[[Any], Any]:
    """Return a change of a list, of the lists in it, or of those in an object."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(inner) if isinstance(inner, list | dict) else inner for key, inner in value.items()}
        if isinstance(value, list) and value and all(isinstance(inner, list) for inner in value):
            return [changed(inner) for inner in value]
        return change(value) if isinstance(value, list) and value else value

    return changed


def _emptied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _EMPTY.get(type(inner)) for key, inner in value.items()}
    return [_EMPTY.get(type(inner)) for inner in value] if isinstance(value, list) else _EMPTY.get(type(value))


def _same(value: Any) -> Any:
    """Return the first value in the place of each."""
    if isinstance(value, dict):
        return dict.fromkeys(value, next(iter(value.values()), None))
    return [value[0]] * len(value) if isinstance(value, list) and value else value


def _outer(change: Callable[[list[Any]], list[Any]]) -> Callable[[Any], Any]:
    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return dict(change([*value.items()]))
        return change(value) if isinstance(value, list) and value else value

    return changed


_VALUES: Mapping[str, Callable[[Any], Any]] = {
    "empty": lambda v: type(v)() if isinstance(v, list | dict) else None,
    "emptied": _emptied,
    "zeros": _leaves(lambda v: 0 if isinstance(v, int | float) else v),
    "ones": _leaves(lambda v: 1 if isinstance(v, int | float) else v),
    "no_numbers": _leaves(lambda v: float("nan") if isinstance(v, int | float) else "nan"),
    "endless": _leaves(lambda v: float("inf") if isinstance(v, int | float) else v),
    "no_texts": _leaves(lambda v: "" if isinstance(v, str) else v),
    "others": other_value,
    "same": _same,
    "same_within": _inside(lambda v: [v[0]] * len(v)),
    "nulls": _leaves(lambda v: None),
    "truths": _leaves(lambda v: True),
    "texts": _leaves(lambda v: str(v)),
    "numbers": _leaves(lambda v: 1 if isinstance(v, str) else v),
    "said_above": _leaves(lambda v: "see above"),
    "lists": _leaves(lambda v: [v]),
    "patterns": _leaves(lambda v: ".*" if isinstance(v, str) else v),
    "capitals": _leaves(lambda v: v.upper() if isinstance(v, str) else v),
    "first_alone": _outer(lambda v: v[:1]),
    "last_alone": _outer(lambda v: v[-1:]),
    "without_first": _outer(lambda v: v[1:]),
    "without_last": _outer(lambda v: v[:-1]),
    "reversed": _outer(lambda v: v[::-1]),
    "rotated": _outer(lambda v: [*v[1:], v[0]]),
    "twice": _outer(lambda v: [*v, *v]),
    "first_alone_within": _inside(lambda v: v[:1]),
    "reversed_within": _inside(lambda v: v[::-1]),
    "twice_within": _inside(lambda v: [*v, *v]),
    "empty_within": _inside(lambda v: []),
    "corner": lambda v: [v[0][:1]] if isinstance(v, list) and v and isinstance(v[0], list) else v,
    "in_list": lambda v: [v],
}


def json_edits() -> dict[str, Callable[[str], str | None]]:
    """Return edits of an answer in JSON by name; an edit gives None of what is no object and no list."""
    edits = {f"json_{name}": _of_json(change) for name, change in _VALUES.items()}
    for place in range(PLACES):
        edits |= {
            f"json_without_{place}": _of_json(_outer(lambda v, at=place: [*v[:at], *v[at + 1 :]])),  # type: ignore[misc]
            f"json_alone_{place}": _of_json(_outer(lambda v, at=place: v[at : at + 1])),  # type: ignore[misc]
            f"json_other_{place}": _of_json(_of_field(other_value, place)),
            f"json_emptied_{place}": _of_json(_of_field(lambda v: _EMPTY.get(type(v)), place)),
            f"json_said_above_{place}": _of_json(_of_field(lambda v: "see above", place)),
            f"json_first_at_{place}": _of_json(lambda v, at=place: [v[at]] * len(v) if isinstance(v, list) else v),  # type: ignore[misc]
        }
    edits["json_keys_again"] = _keys_again
    return edits


def written(value: Any) -> str:
    """Return a value as JSON, in its own letters."""
    return json.dumps(value, ensure_ascii=False)


def _of_field(change: Callable[[Any], Any], place: int) -> Callable[[Any], Any]:
    def changed(value: Any) -> Any:
        if isinstance(value, dict) and place < len(value):
            key = [*value][place]
            return value | {key: change(value[key])}
        if isinstance(value, list) and place < len(value):
            return [*value[:place], change(value[place]), *value[place + 1 :]]
        return value

    return changed


def read_json(answer: str) -> Any:
    """Return the object or the list that an answer is in JSON; None if it is neither."""
    try:
        value = json.loads(answer)
        other_value(value)
    except (ValueError, RecursionError):  # what is nested too deeply to be read may be too deep to be changed
        return None
    return value if isinstance(value, dict | list) else None


def _of_json(change: Callable[[Any], Any]) -> Callable[[str], str | None]:
    def edit(answer: str) -> str | None:
        value = read_json(answer)
        if value is None:
            return None
        try:
            changed = change(value)
        except IndexError:
            return None
        return None if changed == value else written(changed)

    return edit


def _keys_again(answer: str) -> str | None:
    """Return an object in which each key stands again with another value."""
    value = read_json(answer)
    if not isinstance(value, dict) or not value:
        return None
    return f"{{{json.dumps(value, ensure_ascii=False)[1:-1]}, {json.dumps(other_value(value))[1:-1]}}}"
