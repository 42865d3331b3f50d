"""Validation of plain trees as pydantic models; errors say where, what was expected and the nearest name."""

import json
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from rewardlab.errors import MAX_LISTED, Problem, nearest
from rewardlab.recipe.annotations import RecipePath, annotation_at, keys_of, literals_of, lookup, models_at
from rewardlab.recipe.descriptions import descriptions_of
from rewardlab.recipe.other_names import MOVED, our_name, our_stage, our_value
from rewardlab.specs import Config

Where = Callable[[RecipePath], str]
UNKNOWN = "no such option"
"""how a problem begins with an option that is not known where it stands"""
WEIGHT = "the weight of a component stands in `total`: 2 * NAME"
"""what is said of a component's option `weight`, which there is not"""
Finding = tuple[RecipePath, str]
"""a place in a recipe, and what is wrong there"""


def validate(model: type[Config], tree: Any, where: Where, prefix: RecipePath = ()) -> tuple[Any, list[Problem]]:
    """Return (the instance, []) or (None, every problem). `tree` holds JSON values, `prefix` is its place."""
    try:
        # strict JSON mode: "3" is not a number and true is not 1, yet a list may be a tuple and a string a path
        return model.model_validate_json(json.dumps(tree), strict=True), []
    except ValidationError as error:
        by_path: dict[RecipePath, list[dict[str, Any]]] = {}
        for mistake in error.errors(include_url=False):
            by_path.setdefault(_in_tree(dict(mistake), tree), []).append(dict(mistake))
        problems: list[Problem] = []
        for path in _places_to_report(by_path):
            described = len(problems) < MAX_LISTED  # the search for a near name takes a millisecond
            problem = _describe_errors(by_path[path], model, tree, path) if described else by_path[path][0]["msg"]
            problems.append(Problem(where=where(prefix + path), what=problem, path=prefix + path))
        return None, _without_echoes(problems)


def option_help(model: type[Config]) -> str:
    """Return the options of a component on one line: "extract: 'boxed' | 'tag' = 'boxed', field: str = 'answer'"."""
    parts = []
    for name, info in model.model_fields.items():
        default = "" if info.is_required() else f" = {info.get_default(call_default_factory=True)!r}"
        parts.append(f"{info.alias or name}: {type_text(info.annotation)}{default}")
    return ", ".join(parts) or "none"


def type_text(annotation: Any) -> str:
    """Return an annotation in words for users."""
    if annotation is type(None):
        return "null"
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return " | ".join(map(str, args))
    if origin in (typing.Union, types.UnionType):
        return " | ".join(type_text(a) for a in args)
    if origin is typing.Annotated:
        return type_text(args[0])
    if origin in (list, tuple, set) and args:
        return f"[{', '.join(type_text(a) for a in args if a is not Ellipsis)}]"
    if origin is dict or annotation is dict:
        return "mapping"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"{{{', '.join(keys_of(annotation))}}}"
    return _TYPES.get(annotation) or str(getattr(annotation, "__name__", annotation))


_TYPES = {str: "text", int: "integer", float: "number", bool: "true | false", Any: "anything"}


# --- One line for each of pydantic's errors


def _in_tree(mistake: dict[str, Any], tree: Any) -> RecipePath:
    """Return pydantic's location without the names of union members, which do not appear in the file."""
    path: list[str | int] = []
    for step in mistake["loc"]:
        if (isinstance(tree, dict) and step in tree) or (isinstance(tree, list) and isinstance(step, int)):
            path.append(step)
            tree = lookup(tree, (step,))
    if mistake["type"] == "missing":
        path.append(mistake["loc"][-1])
    elif mistake["type"] in _TAG_ERRORS:
        path.append(mistake["ctx"]["discriminator"].strip("'"))
    return tuple(path)


_TAG_ERRORS = ("union_tag_invalid", "union_tag_not_found")


def _places_to_report(by_path: Mapping[RecipePath, list[dict[str, Any]]]) -> Iterator[RecipePath]:
    """Yield the places worth a line: errors inside a union member replace those of members of another type."""
    parents = {path[:length] for path in by_path for length in range(len(path))}
    for path, errors in by_path.items():
        if not (path in parents and all(e["type"].endswith(("_type", "literal_error")) for e in errors)):
            yield path


def _without_echoes(problems: list[Problem]) -> list[Problem]:
    """Drop each "missing" whose key is there but misspelt: the line about the misspelling says it."""
    meant = {
        (*problem.path[:-1], match[1])
        for problem in problems
        if (match := re.match(f"{UNKNOWN}; did you mean '(.*)'", problem.what))
    }
    return [p for p in problems if not (p.path in meant and p.what.startswith("missing"))]


def _describe_errors(errors: list[dict[str, Any]], model: type[Config], tree: Any, path: RecipePath) -> str:
    texts = [_describe_error(error, model, tree, path) for error in errors]
    if len(texts) == 1 or "did you mean" in texts[0]:
        return texts[0]
    return f"expected {_expected(model, tree, path)}, found {_shown(lookup(tree, path))}"


def _describe_error(mistake: dict[str, Any], model: type[Config], tree: Any, path: RecipePath) -> str:
    kind, context = mistake["type"], mistake.get("ctx", {})
    if kind == "extra_forbidden":
        known = {key for m in models_at(model, tree, path[:-1]) for key in keys_of(m)}
        return f"{UNKNOWN}{_meant(str(path[-1]), known)}"
    if kind == "missing":
        return f"missing; expected {_expected(model, tree, path)}"
    if kind in _TAG_ERRORS:
        tags = [use for m in models_at(model, tree, path[:-1]) for use in literals_of(m.model_fields["use"].annotation)]
        if kind == "union_tag_not_found":
            return f"missing; expected {' | '.join(tags)}"
        stage = our_stage(context["tag"]) if "rl" in tags else None
        return f"{_shown(lookup(tree, path))} is not allowed{f'; {stage}' if stage else nearest(context['tag'], tags)}"
    if kind == "literal_error" and isinstance(mistake["input"], str):
        choices = [c for c in literals_of(annotation_at(model, tree, path)) if isinstance(c, str)]
        if choices:
            meant = our_value(str(path[-1]), mistake["input"]) or nearest(mistake["input"], choices)
            return f"{mistake['input']!r} is not allowed{meant}"
    if kind == "value_error":
        return str(context.get("error", mistake["msg"]))
    return f"expected {_wanted(mistake)}, found {_shown(mistake['input'])}{_advice(mistake, model, tree, path)}"


def _meant(name: str, known: set[str]) -> str:
    """Return the end of a message about an option that is not `known`: the one that was meant, or where it belongs."""
    if name in MOVED:
        return f"; {MOVED[name]}"
    if meant := our_name(name, known):
        return f"; did you mean {meant!r}?"
    if "on_missing" in known and name.startswith(("weight", "coef", "scale")):
        return f"; {WEIGHT}"
    hint = nearest(name, known)
    if "did you mean" in hint or not {"use", "with"} <= known:
        return hint
    return f"{hint}; an option of the component itself stands under 'with'"


def _wanted(mistake: dict[str, Any]) -> str:
    """Return what pydantic expected, in the words of a recipe."""
    kind, context = mistake["type"], mistake.get("ctx", {})
    if kind in _WANTED:
        return _WANTED[kind]
    if kind in ("too_short", "too_long"):
        bound = context.get("min_length", context.get("max_length"))
        return f"{'at least' if kind == 'too_short' else 'at most'} {bound} item{'s' if bound != 1 else ''}"
    message = mistake["msg"].removeprefix("Input should be ")
    return f"a number {message}" if message.startswith(("greater", "less")) else message[0].lower() + message[1:]


_WANTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}


def _advice(mistake: dict[str, Any], model: type[Config], tree: Any, path: RecipePath) -> str:
    if mistake["type"] in ("model_type", "dict_type") and isinstance(mistake["input"], str):
        keys = {key for m in models_at(model, tree, path) for key in keys_of(m)}
        if "use" in keys:
            return f"; write {{use: {mistake['input']}}}"
    return _help(model, tree, path)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _expected(model: type[Config], tree: Any, path: RecipePath) -> str:
    annotation = annotation_at(model, tree, path)
    return (type_text(annotation) if annotation is not None else "a value") + _help(model, tree, path)


def _help(model: type[Config], tree: Any, path: RecipePath) -> str:
    for parent in models_at(model, tree, path[:-1]):
        for name, info in parent.model_fields.items():
            if path and path[-1] in (name, info.alias) and (text := descriptions_of(parent).get(name)):
                return f" ({' '.join(text.split())})"
    return ""
