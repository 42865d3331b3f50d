"""From plain trees to pydantic models, with errors that say where, what was expected and the nearest name."""

import copy
import json
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from rewardlab.errors import Problem, nearest
from rewardlab.specs import Config

Path = tuple[str | int, ...]
Where = Callable[[Path], str]


def validate(model: type[Config], tree: Any, where: Where, prefix: Path = ()) -> tuple[Any, list[Problem]]:
    """(the instance, []) or (None, every problem). `tree` holds JSON values; `prefix` is its place in the file."""
    try:
        # strict JSON mode: "3" is no number and true is no 1, yet a list is a tuple and a string a path
        return model.model_validate_json(json.dumps(tree), strict=True), []
    except ValidationError as error:
        by_path: dict[Path, list[str]] = {}
        for found in error.errors(include_url=False):
            path = _in_tree(found["loc"], tree)
            by_path.setdefault(path, []).append(_what(found, model, tree, path))
        problems = []
        for path, whats in by_path.items():
            what = whats[0]
            if len(whats) > 1 and "did you mean" not in what:  # a value that fits no member of a union
                what = f"expected {_expected(model, tree, path)}"
            problems.append(Problem(where=where(prefix + path), what=what, path=prefix + path))
        return None, problems


def salvage(
    model: type[Config], tree: Any, problems: list[Problem], stand_ins: Mapping[tuple, Any]
) -> tuple[Any | None, frozenset[Path]]:
    """(an instance from what is right in `tree`, the places that are not as the file says).

    So later checks can name their mistakes in the same run. What does not validate is cut out, a level higher
    each time; `stand_ins` holds what takes the place of parts that cannot be left out, keyed by their path
    with `int` for every index. The instance is None if nothing is left.
    """
    tree = copy.deepcopy(tree)
    lost: set[Path] = set()
    for level in range(4):
        lost |= {_cut(tree, p.path[: max(1, len(p.path) - level)], stand_ins) for p in problems}
        instance, problems = validate(model, tree, str)
        if instance is not None:
            return instance, frozenset(lost)
    return None, frozenset(lost)


def _cut(tree: Any, path: Path, stand_ins: Mapping[tuple, Any]) -> Path:
    """Remove or replace what is at `path`, or the list that it is in; the place that was changed."""
    parent = lookup(tree, path[:-1])
    pattern = tuple(int if isinstance(step, int) else step for step in path)
    if pattern in stand_ins and isinstance(parent, dict | list):
        parent[path[-1]] = copy.deepcopy(stand_ins[pattern])
    elif isinstance(parent, dict):
        parent.pop(path[-1], None)
    else:  # a list goes whole, for the places of its other items must not move
        return _cut(tree, path[:-1], stand_ins)
    return path


def lookup(tree: Any, path: Path) -> Any:
    """What is at `path`; None where nothing is."""
    for step in path:
        try:
            tree = tree[step]
        except (KeyError, IndexError, TypeError):
            return None
    return tree


def option_help(model: type[Config]) -> str:
    """The options of a component on one line: "extract: 'boxed' | 'tag' = 'boxed', field: str = 'answer'"."""
    parts = []
    for name, info in model.model_fields.items():
        default = "" if info.is_required() else f" = {info.get_default(call_default_factory=True)!r}"
        parts.append(f"{info.alias or name}: {type_text(info.annotation)}{default}")
    return ", ".join(parts) or "none"


def type_text(annotation: Any) -> str:
    """An annotation as users read it."""
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
    return {str: "text", int: "integer", float: "number", bool: "true | false"}.get(
        annotation, getattr(annotation, "__name__", str(annotation))
    )


def _in_tree(loc: Path, tree: Any) -> Path:
    """pydantic's location without the names of union members, which are no part of the file."""
    path: list[str | int] = []
    for position, step in enumerate(loc):
        if isinstance(tree, dict) and step in tree or isinstance(tree, list) and isinstance(step, int):
            path.append(step)
            tree = tree[step] if not isinstance(tree, list) or step < len(tree) else None
        elif isinstance(tree, dict) and position == len(loc) - 1:
            path.append(step)  # a key that is missing
    return tuple(path)


def _what(found: dict, model: type[Config], tree: Any, path: Path) -> str:
    kind, context = found["type"], found.get("ctx", {})
    if kind == "extra_forbidden":
        known = {key for m in _models_at(model, tree, path[:-1]) for key in _keys(m)}
        return f"no such option{nearest(str(path[-1]), known)}"
    if kind == "missing":
        return f"missing; expected {_expected(model, tree, path)}"
    if kind == "union_tag_not_found":
        return f"missing; expected {_tags(model, tree, path)}"
    if kind == "union_tag_invalid":
        tags = [t.strip().strip("'") for t in context["expected_tags"].split(",")]
        return f"no stage {context['tag']!r}{nearest(context['tag'], tags)}"
    if kind == "literal_error" and isinstance(found["input"], str):
        choices = [c for c in _literals(_annotation_at(model, tree, path)) if isinstance(c, str)]
        if choices:
            return f"{found['input']!r} is not allowed{nearest(found['input'], choices)}"
    if kind == "value_error":
        return str(context.get("error", found["msg"]))
    message = found["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    return f"expected {message}, found {_shown(found['input'])}{_help(model, tree, path)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _expected(model: type[Config], tree: Any, path: Path) -> str:
    annotation = _annotation_at(model, tree, path)
    return (type_text(annotation) if annotation is not None else "a value") + _help(model, tree, path)


def _help(model: type[Config], tree: Any, path: Path) -> str:
    for parent in _models_at(model, tree, path[:-1]):
        for name, info in parent.model_fields.items():
            if path and path[-1] in (name, info.alias) and info.description:
                return f" ({' '.join(info.description.split())})"
    return ""


def _keys(model: type[BaseModel]) -> list[str]:
    return [info.alias or name for name, info in model.model_fields.items()]


def _annotation_at(model: type[Config], tree: Any, path: Path) -> Any:
    for parent in _models_at(model, tree, path[:-1]):
        for name, info in parent.model_fields.items():
            if path and path[-1] in (name, info.alias):
                return info.annotation
    return None


def _models_at(model: type[Config], tree: Any, path: Path) -> list[type[BaseModel]]:
    """The models that may describe the mapping at `path`; `use` tells the members of a union apart."""
    annotations: list[Any] = [model]
    for step in path:
        value = tree
        models = [m for a in annotations for m in _models_in(a, value)]
        if models and isinstance(value, dict):
            annotations = [
                info.annotation
                for m in models
                for name, info in m.model_fields.items()
                if step in (name, info.alias)
            ]
        else:
            annotations = [arg for a in annotations for arg in _item_types(a)]
        tree = lookup(value, (step,))
    return [m for a in annotations for m in _models_in(a, tree)]


def _members(annotation: Any) -> Iterator[Any]:
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        for arg in typing.get_args(annotation):
            yield from _members(arg)
    elif origin is typing.Annotated:
        yield from _members(typing.get_args(annotation)[0])
    else:
        yield annotation


def _models_in(annotation: Any, value: Any) -> list[type[BaseModel]]:
    models = [m for m in _members(annotation) if isinstance(m, type) and issubclass(m, BaseModel)]
    use = value.get("use") if isinstance(value, dict) else None
    named = [m for m in models if "use" in m.model_fields and use in _literals(m.model_fields["use"].annotation)]
    return named or models


def _item_types(annotation: Any) -> Iterator[Any]:
    for member in _members(annotation):
        args = typing.get_args(member)
        if typing.get_origin(member) is dict:
            yield args[1]
        elif typing.get_origin(member) in (list, tuple):
            yield from (a for a in args if a is not Ellipsis)


def _literals(annotation: Any) -> list[Any]:
    return [v for m in _members(annotation) if typing.get_origin(m) is typing.Literal for v in typing.get_args(m)]
