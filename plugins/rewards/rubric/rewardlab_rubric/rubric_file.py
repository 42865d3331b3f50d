"""Read a rubric from YAML or JSON as texts, mappings and lists, and keep the line of each part for messages.

Every scalar stays the text that stands there: `true`, `1` and `no` are levels or words, not values.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

Place = tuple[str | int, ...]
LARGEST = 1 << 20
"""characters; no rubric is longer"""


def read_rubric_file(source: Path | Any) -> tuple[Any, Callable[[Place], str]]:
    """Return the content of a file, and a function that returns the place of a part (file:line).

    Raises ValueError with file and line for a file that cannot be read.
    """
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read the rubric {source}: {error}") from None
    if len(text) > LARGEST:
        raise ValueError(f"{source}: a rubric has at most {LARGEST} characters, and this has {len(text)}")
    if source.name.endswith(".json"):
        _check_json(text, source)
        text = text.replace("\t", " ")  # between the texts of JSON a tab is a space, and YAML knows none
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise ValueError(f"{source}:{line}: {error.problem or error.context}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{source}: {type(error).__name__}: it is neither YAML nor JSON") from None
    if node is None:
        raise ValueError(f"{source}:1: the file is empty")
    lines: dict[Place, int] = {}
    data = _plain(node, (), lines, source)
    return data, lambda place: f"{source}:{_line(place, lines)}"


def _check_json(text: str, source: Any) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{source}:{error.lineno}: {error.msg}") from None
    except RecursionError:
        raise ValueError(f"{source}: nested too deeply for a rubric") from None


def _plain(node: yaml.Node, place: Place, lines: dict[Place, int], source: Any) -> Any:
    lines.setdefault(place, node.start_mark.line + 1)
    if len(place) > 5:
        raise ValueError(f"{source}:{lines[place]}: nested too deeply for a rubric")
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*place, number), lines, source) for number, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return _text(node.value)
    mapping: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ValueError(f"{source}:{line}: a key must be a name or a number")
        name = _text(key.value)
        if name in mapping:
            raise ValueError(f"{source}:{line}: {name!r} appears twice")
        lines[*place, name] = line
        mapping[name] = _plain(value, (*place, name), lines, source)
    return mapping


def _text(value: str) -> str:
    """Return a scalar, with the two halves of JSON's escaped characters as one."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _line(place: Place, lines: dict[Place, int]) -> int:
    while place not in lines:
        place = place[:-1]
    return lines[place]
