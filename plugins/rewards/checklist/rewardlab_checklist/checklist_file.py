"""Read checklists: the packaged ones by name, a user's YAML files, and those in a recipe; mistakes have their place."""

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from rewardlab_checklist.checklist import Checklist, Dimension, label_key, name_key

LARGEST = 1 << 20
"""characters; no checklist is longer"""
LEVELS = {"0": 0.0, "0.5": 0.5, "1": 1.0}
"""the scores of a dimension that names none; the paper's annotators had discrete ones, with 0.5 a neutral one"""
CONTINUOUS = "continuous"
KEYS = {"task": True, "subtask": False, "source": False, "levels": False, "dimensions": True}
DIMENSION_KEYS = {"name": True, "asks": True, "weight": False, "labels": False, "recognises": False}
"""key -> whether it must be there"""
SUM = 1e-6
"""how far from 1 the sum of weights may be"""
Place = tuple[str | int, ...]


class ChecklistError(ValueError):
    """A mistake in a checklist's file; the message begins with file and line."""


def find_checklist(name: str | Mapping[str, Any]) -> Checklist:
    """Return a packaged checklist by its name, the one in a file, or one of a recipe. Raises ChecklistError."""
    if not isinstance(name, str):
        return _inline(json.dumps(name, ensure_ascii=False, default=str))
    if name in packaged_names():
        return _packaged(name)
    path = Path(os.path.expanduser(name))
    if path.suffix not in (".yaml", ".yml"):
        known = ", ".join(packaged_names())
        raise ChecklistError(f"no checklist {name!r}; name a .yaml file, or one of {known}")
    return read_checklist(path)


@cache
def packaged_names() -> tuple[str, ...]:
    """Return the names of the packaged checklists, sorted."""
    sources = (source.name for source in (files(__package__) / "checklists").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in sources if name.endswith(".yaml")))


@cache
def _packaged(name: str) -> Checklist:
    return read_checklist(files(__package__) / "checklists" / f"{name}.yaml")


def read_checklist(source: Any) -> Checklist:
    """Return the checklist in a file (a Path, or a packaged resource). Raises ChecklistError with file and line."""
    tree, lines = _parsed(source)
    return _Reader(tree, Path(source.name).stem, source, lines).checklist()


@cache
def _inline(text: str) -> Checklist:
    return _Reader(_texts(json.loads(text), ()), "inline", "the recipe's checklist", {}).checklist()


def _texts(tree: Any, place: Place) -> Any:
    """Return a recipe's tree with every scalar as text. Raises ChecklistError for an unknown label: `Yes`."""
    if isinstance(tree, list):
        return [_texts(item, (*place, at)) for at, item in enumerate(tree)]
    if isinstance(tree, dict):
        if lost := [key for key in tree if key in ("true", "false", "null")]:
            named = ".".join(map(str, (*place, lost[0])))
            raise ChecklistError(f"the recipe's checklist: {named}: YAML read a truth value; write the label in quotes")
        return {key: _texts(value, (*place, key)) for key, value in tree.items()}
    return f"{tree:g}" if isinstance(tree, int | float) and not isinstance(tree, bool) else tree


def _parsed(source: Any) -> tuple[Any, dict[Place, int]]:
    """Return the tree of a file, every scalar as text, and the line of each place."""
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ChecklistError(f"cannot read the checklist {source}: {error}") from None
    if len(text) > LARGEST:
        raise ChecklistError(f"{source}: a checklist has at most {LARGEST} characters, and this has {len(text)}")
    lines: dict[Place, int] = {}
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return None if node is None else _plain(source, node, (), lines), lines
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise ChecklistError(f"{source}:{line}: {error.problem or error.context}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ChecklistError(f"{source}: {type(error).__name__}: it is not YAML") from None


def _plain(source: Any, node: yaml.Node, place: Place, lines: dict[Place, int]) -> Any:
    """Return the tree with every scalar as the text that stands there: `yes` and `0.5` are labels."""
    lines.setdefault(place, node.start_mark.line + 1)
    if len(place) > 5:
        raise _misplaced(source, place, "nested too deeply for a checklist", lines)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(source, item, (*place, at), lines) for at, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return node.value
    plain: dict[str, Any] = {}
    for key, value in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        lines[*place, name] = key.start_mark.line + 1
        if not name or name in plain:
            raise _misplaced(source, (*place, name), "appears twice" if name else "a key must be a name", lines)
        plain[name] = _plain(source, value, (*place, name), lines)
    return plain


def _misplaced(source: Any, place: Place, problem: str, lines: Mapping[Place, int]) -> ChecklistError:
    at = place
    while at and at not in lines:
        at = at[:-1]
    line = f":{lines[at]}" if at in lines else ""
    named = ".".join(map(str, place))
    return ChecklistError(f"{source}{line}: {named}{': ' if named else ''}{problem}")


class _Reader:
    """Makes a checklist of a tree whose scalars are texts. lines: the line of each place, if there is a file."""

    def __init__(self, tree: Any, name: str, source: Any, lines: Mapping[Place, int]) -> None:
        self._tree, self._name, self._source, self._lines = tree, name, source, lines

    def checklist(self) -> Checklist:
        tree = self._mapping((), self._tree, KEYS)
        given = tree["dimensions"]
        if not isinstance(given, list) or not given:
            raise self._error(("dimensions",), "expected a list of dimensions, each with `name` and `asks`")
        labels, continuous = self._levels(tree.get("levels"))
        made = [self._dimension(("dimensions", at), entry, labels, continuous) for at, entry in enumerate(given)]
        self._check_names(made)
        return Checklist(
            name=self._name,
            task=self._text(("task",), tree["task"]),
            subtask=None if tree.get("subtask") is None else self._text(("subtask",), tree["subtask"]),
            source=str(tree.get("source", "own")),
            dimensions=tuple(self._weighed(made)),
        )

    def _dimension(self, place: Place, tree: Any, labels: Mapping[str, float], continuous: bool) -> Dimension:
        mapping = self._mapping(place, tree, DIMENSION_KEYS)
        recognises = mapping.get("recognises") or []
        if not isinstance(recognises, list) or len(set(map(str, recognises))) < len(recognises):
            raise self._error((*place, "recognises"), "expected a list of labels, each once")
        if recognises and ("labels" in mapping or "weight" in mapping):
            raise self._error(place, "what recognises a task has no score; leave `labels` and `weight` out")
        own = self._labels((*place, "labels"), mapping["labels"]) if "labels" in mapping else None
        return Dimension(
            name=self._text((*place, "name"), mapping["name"]),
            asks=self._text((*place, "asks"), mapping["asks"]),
            weight=self._weight((*place, "weight"), mapping["weight"]) if "weight" in mapping else -1.0,
            labels=labels if own is None else own,
            continuous=continuous and own is None,
            recognises=tuple(map(str, recognises)),
        )

    def _levels(self, given: Any) -> tuple[Mapping[str, float], bool]:
        if given is None:
            return LEVELS, False
        if given == CONTINUOUS:
            return {}, True
        if not isinstance(given, list) or len(given) < 2:
            raise self._error(("levels",), f"expected {CONTINUOUS}, or a list of two or more numbers in [0, 1]")
        return {text: self._worth(("levels", at), text) for at, text in enumerate(map(str, given))}, False

    def _labels(self, place: Place, given: Any) -> Mapping[str, float]:
        if not isinstance(given, dict) or len(given) < 2:
            raise self._error(place, "expected two or more labels, each with what it is worth: {High: 1, Low: 0}")
        if len(set(map(label_key, given))) < len(given):
            raise self._error(place, "has a label twice")
        return {label: self._worth((*place, label), worth) for label, worth in given.items()}

    def _worth(self, place: Place, given: Any) -> float:
        try:
            worth = float(given)
        except (TypeError, ValueError):
            problem = "is worth nothing yet" if given in (None, "") else f"expected a number in [0, 1], found {given!r}"
            raise self._error(place, problem) from None
        if not 0 <= worth <= 1:
            raise self._error(place, f"expected a number in [0, 1], found {given}")
        return worth

    def _weight(self, place: Place, given: Any) -> float:
        try:
            weight = float(given)
        except (TypeError, ValueError):
            weight = -1.0
        if not 0 < weight <= 1:
            raise self._error(place, f"expected a share in (0, 1], found {given!r}")
        return weight

    def _check_names(self, made: list[Dimension]) -> None:
        seen: set[str] = set()
        for at, dimension in enumerate(made):
            if (key := name_key(dimension.name)) in seen:
                raise self._error(("dimensions", at), f"{dimension.name!r} appears twice")
            seen.add(key)
        if not any(not dimension.recognises for dimension in made):
            raise self._error(("dimensions",), "none has a score")

    def _weighed(self, made: list[Dimension]) -> Iterator[Dimension]:
        scored = [dimension for dimension in made if not dimension.recognises]
        given = [dimension for dimension in scored if dimension.weight >= 0]
        if given and len(given) < len(scored):
            lacking = next(dimension.name for dimension in scored if dimension.weight < 0)
            raise self._error(("dimensions",), f"{lacking!r} has no weight, and others have; give all of them or none")
        total = sum(dimension.weight for dimension in given)
        if given and abs(total - 1) > SUM:
            raise self._error(("dimensions",), f"the weights sum to {total:g}, not to 1")
        for dimension in made:
            weight = 0.0 if dimension.recognises else dimension.weight if given else 1 / len(scored)
            yield Dimension(**{**dimension.__dict__, "weight": weight})

    def _mapping(self, place: Place, tree: Any, keys: Mapping[str, bool]) -> dict[str, Any]:
        if not isinstance(tree, dict):
            raise self._error(place, f"expected a mapping with {', '.join(keys)}")
        for key in tree:
            if key not in keys:
                raise self._error((*place, key), f"no such key; there are {', '.join(keys)}")
        lacking = [key for key, needed in keys.items() if needed and tree.get(key) in (None, "", [])]
        if lacking:
            raise self._error(place, f"{lacking[0]} is missing")
        return tree

    def _text(self, place: Place, given: Any) -> str:
        if not isinstance(given, str) or not given.strip():
            raise self._error(place, f"expected a text, found {given!r}")
        return given.strip()

    def _error(self, place: Place, problem: str) -> ChecklistError:
        return _misplaced(self._source, place, problem, self._lines)
