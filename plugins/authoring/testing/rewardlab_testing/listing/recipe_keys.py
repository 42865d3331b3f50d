"""The keys of a recipe: what each of its parts, each stage and each engine takes, with types, defaults and meanings."""

import inspect
import json
import re
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python
from rewardlab.recipe import (
    BackendUse,
    ColumnNames,
    ComponentUse,
    DatasetUse,
    DataStage,
    DpoStage,
    EvalStage,
    JudgeUse,
    Recipe,
    RewardSection,
    RlStage,
    SftStage,
    Use,
    descriptions_of,
    type_text,
)

STAGES: Mapping[str, type[BaseModel]] = {
    "data": DataStage,
    "sft": SftStage,
    "rl": RlStage,
    "dpo": DpoStage,
    "eval": EvalStage,
}
PARTS: Mapping[str, tuple[str, type[BaseModel]]] = {
    "recipe": ("", Recipe),
    "dataset": ("dataset.", DatasetUse),
    "judge": ("judges.NAME.", JudgeUse),
    "reward": ("reward.", RewardSection),
    "component": ("reward.components.NAME.", ComponentUse),
    **{name: ("stages.N.", model) for name, model in STAGES.items()},
}
"""part -> (what stands before its keys in an override, its model)"""
_ELSEWHERE: tuple[type[BaseModel], ...] = (Use, ColumnNames, RewardSection, BackendUse, *STAGES.values())
"""models with a list of their own"""
_ONE_OF_MAPPINGS = re.compile(r"\{[^{}]*\}( \| \{[^{}]*\})*")
_BOUNDS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def part_row(name: str) -> dict[str, Any]:
    """Return a part of recipes as a row of JSON values, as `component_rows` returns components."""
    before, model = PARTS[name]
    kind = "stage" if name in STAGES else "part of a recipe"
    summary = " ".join((model.__doc__ or "").split())
    return {"use": name, "kind": kind, "summary": summary, "before": before, "options": key_rows(model)}


def key_rows(model: type[BaseModel], before: str = "", above: tuple[type, ...] = ()) -> list[dict[str, Any]]:
    """Return a row of JSON values for each key of a model: {"name", "type", "required", "default", "help"}.

    A key that holds a mapping is followed by the keys in it, with dots in their names. "default" is absent if the
    key is required, or holds a mapping whose keys have defaults of their own.
    """
    rows = []
    own = ("use", "options", *inspect.get_annotations(model))
    for name, info in sorted(model.model_fields.items(), key=lambda item: item[0] not in own):
        key = before + (info.alias or name)
        inside = [nested for nested in _models(info.annotation) if nested not in (*above, model)]
        row = {"name": key, "type": _type(info), "required": info.is_required()}
        if not info.is_required() and not (inside and info.default_factory is not None):
            row["default"] = to_jsonable_python(info.get_default(call_default_factory=True), fallback=str)
        rows.append(row | {"help": " ".join(descriptions_of(model).get(name, "").split())})
        for nested in inside:
            rows += key_rows(nested, f"{key}.", (*above, model))
    return rows


def default_text(row: Mapping[str, Any]) -> str:
    """Return the default of a key in words: "required", "default 1.0"; "" if it has none of its own."""
    if row["required"]:
        return "required"
    return f"default {json.dumps(row['default'], ensure_ascii=False)}" if "default" in row else ""


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that a key may hold and that have no list of their own."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not issubclass(annotation, _ELSEWHERE):
            yield annotation
    elif typing.get_origin(annotation) in (typing.Union, types.UnionType, typing.Annotated):
        for argument in typing.get_args(annotation):
            yield from _models(argument)


def _type(info: FieldInfo) -> str:
    """Return a key's type with its bounds, such as "integer > 0" or "number >= 0 and <= 1 | null"."""
    if (text := _bounded(info.annotation, info.metadata)) is not None:
        return text
    if typing.get_origin(info.annotation) in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(_member(member) for member in typing.get_args(info.annotation)))
    return _member(info.annotation)


def _member(annotation: Any) -> str:
    if typing.get_origin(annotation) is typing.Annotated:
        inner, *metadata = typing.get_args(annotation)
        if bounded := _bounded(inner, metadata):
            return bounded
    return _ONE_OF_MAPPINGS.sub("mapping", type_text(annotation))


def _bounded(annotation: Any, metadata: Iterable[Any]) -> str | None:
    flat = [mark for given in metadata for mark in (given.metadata if isinstance(given, FieldInfo) else [given])]
    signs = [
        f"{sign} {bound:g}"
        for mark in flat
        for name, sign in _BOUNDS.items()
        if (bound := _number(mark, name)) is not None
    ]
    return f"{type_text(annotation)} {' and '.join(signs)}" if signs and annotation in (int, float) else None


def _number(constraint: Any, name: str) -> float | None:
    bound = getattr(constraint, name, None)
    return bound if isinstance(bound, int | float) else None
