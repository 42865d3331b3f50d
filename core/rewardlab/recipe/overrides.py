"""Overrides of the command line: `stages.1.steps=50`."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rewardlab.errors import Problem, UserError
from rewardlab.recipe.merging import Part, merged
from rewardlab.recipe.yaml12 import UNPRINTABLE, Keys, Place, Tree, compose, scalar
from rewardlab.text.redaction import redact

MAX_DEPTH = 64


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


def apply_overrides(recipe: Part, texts: Sequence[str]) -> Part:
    """Return a recipe with overrides applied: wholes before their parts, and `use` before the keys beside it."""
    problems: list[Problem] = []
    parsed = [override for text in texts if (override := _parse(text, problems))]
    for override in sorted(parsed, key=lambda o: (len(o.keys), o.keys[-1] != "use")):
        try:
            recipe = merged(recipe, override.keys, Part(override.value, Place(0, override=override.text)))
        except LookupError as error:
            problems.append(Problem(where=format_override(override.text), what=str(error.args[0])))
    if problems:
        raise UserError(problems)
    return recipe


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
