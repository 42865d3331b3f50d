"""The text of a schema: what it says twice refers to the first place, and a property, a name or a case is a line.

So a change of one option changes one line, however many definitions have it.
"""

import json
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

_OPEN = ("$defs", "allOf", "else", "properties")
"""keywords that are written over several lines, after the others"""
_FEW = 4
"""alternatives of a property that stand on one line with it"""
_WORTH_A_REFERENCE = 100
"""characters from which on a property that stands again is a reference"""


def schema_text(schema: Schema) -> str:
    """Return a schema as the text of a file."""
    return f"{_object(schema, 0)}\n"


def _object(schema: Schema, depth: int, wide: tuple[str, ...] = _OPEN) -> str:
    """Return a schema with its plain keywords on the first line, and an own line for each item of the `wide` ones."""
    opened = [key for key in wide if schema.get(key)]
    parts = [f"{_line(key)}: {_line(schema[key])}" for key in sorted(schema) if key not in opened]
    parts += [f"{_line(key)}: {_opened(key, schema[key], depth)}" for key in opened]
    return f"{{{', '.join(parts)}}}"


def _opened(key: str, value: Any, depth: int) -> str:
    if key == "else":
        return _object(value, depth)
    begin, end = "{}" if isinstance(value, dict) else "[]"
    if key == "properties":
        items = [f"{_line(name)}: {_property(schema, depth + 1)}" for name, schema in sorted(value.items())]
    elif key == "$defs":
        items = [f"{_line(name)}: {_object(schema, depth + 1)}" for name, schema in sorted(value.items())]
    else:
        items = [_line(item) for item in value]
    pad = " " * (depth + 1)
    return begin + "\n" + ",\n".join(pad + item for item in items) + "\n" + " " * depth + end


def _property(schema: Schema, depth: int) -> str:
    return _object(schema, depth, ("anyOf",) if len(schema.get("anyOf", ())) > _FEW else ())


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


# --- What is said twice


def with_references(schema: Schema) -> Schema:
    """Return a schema in which a nested definition, or a property, that stands again refers to its first place."""
    while again := _nested_again(schema["$defs"]):
        schema = _without(schema, again)
    first: dict[str, str] = {}
    for name in sorted(schema["$defs"]):
        place = f"#/$defs/{name}"
        schema["$defs"][name] = _referring(schema["$defs"][name], place, first)
    return schema


def _nested_again(definitions: Schema) -> dict[str, str]:
    """Return the places of definitions inside of definitions that say what another says: place -> the first one."""
    first: dict[str, str] = {}
    again = {}
    for name in sorted(definitions):
        for nested, definition in sorted(definitions[name].get("$defs", {}).items()):
            place = f"#/$defs/{name}/$defs/{nested}"
            if (known := first.setdefault(_line(definition), place)) != place:
                again[place] = known
    return again


def _without(schema: Schema, again: dict[str, str]) -> Schema:
    """Return a schema without the nested definitions in `again`, whose references lead to the first ones."""
    definitions = {}
    for name, definition in schema["$defs"].items():
        nested = definition.get("$defs", {}).items()
        kept = {other: value for other, value in nested if f"#/$defs/{name}/$defs/{other}" not in again}
        others = {key: value for key, value in definition.items() if key != "$defs"}
        definitions[name] = {**others, "$defs": kept} if kept else others

    def redirected(inside: Schema) -> Schema:
        return {**inside, "$ref": again.get(inside["$ref"], inside["$ref"])} if "$ref" in inside else inside

    return each_schema({**schema, "$defs": definitions}, redirected)


def _referring(definition: Schema, place: str, first: dict[str, str]) -> Schema:
    """Return a definition at `place` with references for properties in `first`: text -> place; and add the others."""
    changed = dict(definition)
    if nested := definition.get("$defs"):
        names = sorted(nested)
        changed["$defs"] = {name: _referring(nested[name], f"{place}/$defs/{name}", first) for name in names}
    if properties := definition.get("properties"):
        changed["properties"] = {}
        for name, schema in properties.items():
            text = _line(schema)
            own = f"{place}/properties/{name}"
            known = first.setdefault(text, own) if len(text) > _WORTH_A_REFERENCE else own
            changed["properties"][name] = schema if known == own else {"$ref": known}
    return changed


# --- Walking


_MAPPINGS = ("properties", "patternProperties", "$defs")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties")


def each_schema(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """Return the schema with `change` applied to every schema inside it, and then to itself."""
    if not isinstance(schema, dict):  # true, false
        return schema
    inside = dict(schema)
    for key, value in schema.items():
        if key in _MAPPINGS:
            inside[key] = {name: each_schema(item, change) for name, item in value.items()}
        elif key in _LISTS:
            inside[key] = [each_schema(item, change) for item in value]
        elif key in _SINGLE:
            inside[key] = each_schema(value, change)
    return change(inside)
