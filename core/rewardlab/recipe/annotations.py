"""The models and annotations that describe a place in a tree, such as a recipe's, which may be wrong."""

import types
import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from rewardlab.specs import Config

RecipePath = tuple[str | int, ...]


def lookup(tree: Any, path: RecipePath) -> Any:
    """Return the value at `path`; None if it does not exist."""
    for step in path:
        try:
            tree = tree[step]
        except (KeyError, IndexError, TypeError):
            return None
    return tree


def keys_of(model: type[BaseModel]) -> list[str]:
    return [info.alias or name for name, info in model.model_fields.items()]


def annotation_at(model: type[Config], tree: Any, path: RecipePath) -> Any:
    return next(iter(_annotations_at(model, tree, path)), None)


def models_at(model: type[Config], tree: Any, path: RecipePath) -> list[type[BaseModel]]:
    """Return the models that may describe the mapping at `path`; `use` selects among the members of a union."""
    value = lookup(tree, path)
    return [m for annotation in _annotations_at(model, tree, path) for m in models_in(annotation, value)]


def _annotations_at(model: type[Config], tree: Any, path: RecipePath) -> list[Any]:
    annotations: list[Any] = [model]
    for depth, step in enumerate(path):
        value = lookup(tree, path[:depth])
        models = [m for a in annotations for m in models_in(a, value)]
        if models and isinstance(value, dict):
            fields = [(name, info) for m in models for name, info in m.model_fields.items()]
            annotations = [info.annotation for name, info in fields if step in (name, info.alias)]
        else:
            annotations = [arg for a in annotations for arg in item_types(a)]
    return annotations


def members_of(annotation: Any) -> Iterator[Any]:
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        for arg in typing.get_args(annotation):
            yield from members_of(arg)
    elif origin is typing.Annotated:
        yield from members_of(typing.get_args(annotation)[0])
    else:
        yield annotation


def models_in(annotation: Any, value: Any) -> list[type[BaseModel]]:
    models = [m for m in members_of(annotation) if isinstance(m, type) and issubclass(m, BaseModel)]
    use = value.get("use") if isinstance(value, dict) else None
    named = [m for m in models if "use" in m.model_fields and use in literals_of(m.model_fields["use"].annotation)]
    return named or models


def item_types(annotation: Any) -> Iterator[Any]:
    for member in members_of(annotation):
        args = typing.get_args(member)
        if typing.get_origin(member) is dict:
            yield args[1]
        elif typing.get_origin(member) in (list, tuple):
            yield from (a for a in args if a is not Ellipsis)


def literals_of(annotation: Any) -> list[Any]:
    return [v for m in members_of(annotation) if typing.get_origin(m) is typing.Literal for v in typing.get_args(m)]


def mappings(
    model: type[BaseModel], value: Any, path: RecipePath = (), above: tuple[type[BaseModel], ...] = ()
) -> Iterator[tuple[RecipePath, type[BaseModel]]]:
    """Yield each place of a mapping, from `path` down, with the model that describes it.

    Those are the ones that stand in `value`, and those that a model may have though they are not written.
    """
    if model in above:
        return  # a dataset may have another one as its source
    yield path, model
    for name, info in model.model_fields.items():
        key = info.alias or name
        yield from _mappings_in(info.annotation, lookup(value, (key,)), (*path, key), (*above, model))


def _mappings_in(
    annotation: Any, value: Any, path: RecipePath, above: tuple[type[BaseModel], ...]
) -> Iterator[tuple[RecipePath, type[BaseModel]]]:
    for model in models_in(annotation, value):
        yield from mappings(model, value, path, above)
    written = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in written:
        for inner in item_types(annotation):
            yield from _mappings_in(inner, item, (*path, key), above)
