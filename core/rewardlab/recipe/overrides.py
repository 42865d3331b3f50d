"""Overrides of the command line (`stages.1.steps=50`), and the walk along dotted keys, which `extends` shares."""

import re
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rewardlab.errors import Problem, UserError, nearest
from rewardlab.recipe.yaml12 import UNPRINTABLE, Keys, Tree, compose, scalar
from rewardlab.redaction import redact

REMOVABLE: tuple[Keys, ...] = (("reward", "components"), ("judges",))
"""mappings whose entries have names of the user's: NAME=null removes one"""
MAX_DEPTH = 64


@dataclass(frozen=True, kw_only=True)
class Overridden:
    """The paths that overrides have set or removed, each with the override's text."""

    set: dict[Keys, str] = field(default_factory=dict)
    removed: dict[Keys, str] = field(default_factory=dict)

    def by(self, path: Keys) -> str | None:
        """Return the override that set the value at `path` or one around it, else None."""
        prefixes = (path[:length] for length in range(len(path), 0, -1))
        return next((self.set[prefix] for prefix in prefixes if prefix in self.set), None)


class _Override(NamedTuple):
    text: str
    keys: list[str]
    value: Tree


def format_override(text: str) -> str:
    """Return an override as messages show it, without secrets and at most some 80 characters long."""
    text = redact(text)
    return f"override {text if len(text) <= 80 else text[:77] + '...'!r}"


def format_path(place: str, path: Keys) -> str:
    """Return "PLACE: stages.1.steps", or the place alone for the root."""
    return f"{place}: {'.'.join(map(str, path))}" if path else place


def kind_of(value: Tree) -> str:
    """Return what a value is, in words: "a mapping", "a list of 2 (0 to 1)", "the value 3"."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)} (0 to {len(value) - 1})" if value else "an empty list"
    return f"the value {'null' if value is None else reprlib.repr(value)}"


def apply_overrides(tree: dict[str, Any], texts: Sequence[str]) -> Overridden:
    """Apply overrides to a tree, in place: wholes before their parts, and `use` before the keys beside it."""
    problems: list[Problem] = []
    done = Overridden()
    parsed = [override for text in texts if (override := _parse(text, problems))]
    for override in sorted(parsed, key=lambda o: (len(o.keys), o.keys[-1] != "use")):
        try:
            _set(tree, override, done)
        except LookupError as error:
            problems.append(Problem(where=format_override(override.text), what=str(error.args[0])))
    if problems:
        raise UserError(problems)
    return done


def _parse(text: str, problems: list[Problem]) -> _Override | None:
    key, equals, value = text.partition("=")
    if not equals or not key or key != _tidy(key):
        problems.append(Problem(where=format_override(text), what=f"an override is KEY=VALUE; write {_tidied(text)}"))
        return None
    if key.count(".") > MAX_DEPTH:
        problems.append(Problem(where=format_override(text), what=f"its key has more than {MAX_DEPTH} parts"))
        return None
    place = format_path(format_override(text), (key,))
    try:
        return _Override(text, key.split("."), parse_value(value.strip(), place))
    except UserError as error:
        problems += error.problems
    return None


def _tidy(key: str) -> str:
    dotted = re.sub(r"\[(\w+)\]", r".\1", key.strip()).lstrip("-")
    return ".".join(part for part in dotted.split(".") if part)


def _tidied(text: str) -> str:
    split = re.split("=" if "=" in text else r"[\s:]+", text, maxsplit=1)
    key, value = split if len(split) == 2 else (text, "")
    return f"{_tidy(key) or 'KEY'}={value.strip() or 'VALUE'}"


def parse_value(text: str, place: str) -> Tree:
    """Return the value of an override: a YAML list, mapping or quoted text, else one plain scalar."""
    if text[:1] in ("[", "{", '"', "'") or UNPRINTABLE.search(text):
        return compose(text, lambda _, keys: ".".join(map(str, (place, *keys))))[0]
    try:
        return scalar(text)
    except ValueError as error:
        raise UserError(str(error), where=place) from error


def _set(tree: dict[str, Any], override: _Override, done: Overridden) -> None:
    """Set one override, or remove what it makes null.

    Raises LookupError, with a text for the user, if the keys lead nowhere.
    """
    node: Any = tree
    path: Keys = ()
    rest = override.keys
    while True:
        key, rest = step(node, rest, path)
        path = (*path, key)
        if not rest:
            break
        if isinstance(node, dict) and key not in node:
            node[key] = None
            done.set[path] = override.text
        if node[key] is None:
            node[key] = {}
        node = node[key]
    if override.value is None and path[:-1] in REMOVABLE:
        refuse_unknown(node, path)
        del node[key]
        done.removed[path] = override.text
        return
    if key == "use" and node.get("use", override.value) != override.value:
        node.pop("with", None)
        done.set[*path[:-1], "with"] = override.text
    node[key] = override.value
    done.set[path] = override.text


def refuse_unknown(named: dict[str, Any], path: Keys) -> None:
    """Raise a LookupError if nothing has the name that is to be removed."""
    name = path[-1]
    if name not in named:
        around = ".".join(map(str, path[:-1])) or "the recipe"
        raise LookupError(f"{around} has no {name!r} to remove{nearest(str(name), named)}")


def step(node: Tree, keys: list[str], path: Keys) -> tuple[str | int, list[str]]:
    """Return the key or index in `node` that the first of `keys` mean, and the other keys; a key may contain dots."""
    if isinstance(node, dict):
        dotted = ((".".join(keys[:n]), keys[n:]) for n in range(len(keys), 0, -1))
        return next(((key, rest) for key, rest in dotted if key in node), (keys[0], keys[1:]))
    if isinstance(node, list) and re.fullmatch("[0-9]{1,9}", keys[0]) and int(keys[0]) < len(node):
        return int(keys[0]), keys[1:]
    raise LookupError(f"{'.'.join(map(str, path))} is {kind_of(node)}, it has no {keys[0]!r}")
