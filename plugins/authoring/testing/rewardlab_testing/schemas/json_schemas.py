"""JSON Schemas for editors, generated from the models: of recipes, rows to score, and each component's options.

Wherever a recipe wants a number, a choice or a switch, a text with `${...}` will do, too, since it is resolved before
the recipe is checked. Components that were not installed when the schema was made are allowed.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core.core_schema import ModelSchema
from rewardlab import BackendSpec, Config, RewardSpec
from rewardlab.errors import one_line
from rewardlab.recipe import EXTENDS, Recipe, descriptions_of
from rewardlab.registry import Plugin

from rewardlab_testing.schemas.row_schema import ROW_SCHEMA
from rewardlab_testing.schemas.schema_text import Schema, each_schema, schema_text, with_references

SCHEMA_SUFFIX = ".schema.json"
SCHEMA_MARK = "Written by `rewardlab schema`: change the models and run it again."
HEAD = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": SCHEMA_MARK}
ENVIRONMENT = {
    "type": "string",
    "pattern": r"\$\{",
    "description": "a value from the environment, ${oc.env:NAME} or ${oc.env:NAME,default}",
}
FROM_ENVIRONMENT = {"$ref": "#/$defs/from-environment"}
"""a reference to a definition that is named like no Python class and no component"""
USES = {
    "ComponentUse": "reward",
    "JudgeUse": "judge",
    "DatasetUse": "dataset",
    "CurriculumUse": "curriculum",
    "NormalizerUse": "normalizer",
}
"""the definitions that have a `use`, and the kind of component that it names"""


@dataclass(frozen=True, kw_only=True)
class OfferedComponent:
    """A component that a recipe can name.

    Args:
        stem: its schema's file name without the suffix.
        options: the schema of its options; None if they have none.
        default: whether it is the backend of a recipe that names none.
    """

    use: str
    kind: str
    stem: str
    summary: str
    options: Schema | None
    default: bool = False


def generate_schemas(plugins: Iterable[Plugin]) -> tuple[dict[str, str], list[str]]:
    """Return the schemas, file name -> text, and warnings about components whose options have no schema."""
    components, warnings = _components(plugins)
    schemas = {"recipe": recipe_schema(components), "rows": {**HEAD, **ROW_SCHEMA}}
    for component in components:
        if component.options is not None:
            schemas[component.stem] = _standalone(component, component.options)
    return {f"{stem}{SCHEMA_SUFFIX}": schema_text(schema) for stem, schema in sorted(schemas.items())}, warnings


def recipe_schema(components: Sequence[OfferedComponent]) -> Schema:
    """Return the schema of a recipe that may name these components, and others."""
    schema = _model_schema(Recipe)
    definitions = schema["$defs"]
    definitions |= {"CurriculumUse": definitions["Use"], "NormalizerUse": definitions.pop("Use")}
    for key in ("curriculum", "sampler"):
        schema["properties"][key] = each_schema(schema["properties"][key], lambda s: _redirected(s, "CurriculumUse"))
    definitions["RewardSection"] = each_schema(definitions["RewardSection"], lambda s: _redirected(s, "NormalizerUse"))
    for name, kind in USES.items():
        definitions[name] = _with_names(definitions[name], [c for c in components if c.kind == kind])
    names = definitions["NormalizerUse"]["properties"]["use"]
    items = definitions["RewardSection"]["properties"]["normalize"]["items"]
    items["anyOf"] = [names if member == {"type": "string"} else member for member in items["anyOf"]]
    schema["properties"]["stages"]["items"] = _by_use(schema["properties"]["stages"]["items"], definitions)
    backends = [component for component in components if component.kind == "backend"]
    definitions["BackendUse"] = _with_backends(definitions["BackendUse"], backends)
    for component in components:
        if component.options is not None:
            options = _beside_use(component.options) if component in backends else component.options
            definitions[component.stem] = _embedded(component.stem, options)
    definitions["from-environment"] = ENVIRONMENT
    return {**HEAD, **_or_extending(with_references(schema)), "title": "a recipe of rewardlab"}


def _or_extending(schema: Schema) -> Schema:
    """Return a recipe's schema, or of one that extends another: any part of a recipe, also by dotted keys."""
    needed = {key: schema.pop(key) for key in ("required", "additionalProperties") if key in schema}
    properties = schema.pop("properties")
    extends = {"type": "string", "description": "the recipe that this one changes: a name of ours, or a path from here"}
    return {
        **schema,
        "if": {"required": [EXTENDS]},
        "then": {"properties": {EXTENDS: extends}},
        "else": {"properties": properties, **needed},
    }


# --- Components


def _components(plugins: Iterable[Plugin]) -> tuple[list[OfferedComponent], list[str]]:
    schemas, warnings = [], []
    specs = sorted((p.use(spec), kind, spec) for p in plugins for (kind, _), spec in p.specs.items())
    times = Counter(use for use, _, _ in specs)
    for use, kind, spec in specs:
        try:
            options = _with_panels(_model_schema(spec.config), spec.judges if isinstance(spec, RewardSpec) else ())
        except PydanticUserError as error:
            options = None
            warnings.append(f"the options of {use} have no schema: {one_line(error)}")
        named_twice = times[use] > 1 or kind == "backend"
        stem = use.replace("/", ".") + (f".{kind}" if named_twice else "")
        default = isinstance(spec, BackendSpec) and spec.default
        schemas.append(
            OfferedComponent(use=use, kind=kind, stem=stem, summary=spec.summary, options=options, default=default)
        )
    return schemas, warnings


def _with_panels(options: Schema, judges: Iterable[str]) -> Schema:
    """Return a reward's options, of which each that names a judge may list the judges of a panel."""
    properties = {**options.get("properties", {})}
    several = {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True}
    for name in judges:
        notes = {key: value for key, value in properties[name].items() if key in _NOTES}
        one = {key: value for key, value in properties[name].items() if key not in _NOTES}
        properties[name] = {**notes, "anyOf": [*one.get("anyOf", [one]), several]}
    return {**options, "properties": properties} if properties else options


def _standalone(component: OfferedComponent, options: Schema) -> Schema:
    definitions = {**options.get("$defs", {}), "from-environment": ENVIRONMENT}
    return {
        **HEAD,
        **options,
        "title": component.use,
        "description": component.summary,
        "$defs": definitions,
    }


def _embedded(stem: str, options: Schema) -> Schema:
    """Return the options as a definition inside another schema, with definitions of its own."""

    def moved(schema: Schema) -> Schema:
        if "$ref" not in schema or schema == FROM_ENVIRONMENT:
            return schema
        return {**schema, "$ref": schema["$ref"].replace("#/$defs/", f"#/$defs/{stem}/$defs/")}

    return each_schema(options, moved)


def _with_names(schema: Schema, components: Sequence[OfferedComponent]) -> Schema:
    """Return a definition whose `use` offers these names and whose `with` holds the options of the one chosen."""
    names = [{"const": c.use, "description": c.summary} for c in components]
    choice = [*names, {"type": "string", "pattern": "/"}, FROM_ENVIRONMENT]
    use = {"description": schema["properties"]["use"]["description"], "anyOf": choice}
    naming = {**schema, "properties": {**schema["properties"], "use": use}}
    cases = [_case(c.use, _requiring_options(c.stem, c.options)) for c in components if c.options is not None]
    return naming | ({"allOf": cases} if cases else {})


def _requiring_options(stem: str, options: Schema) -> Schema:
    """Return a schema by which `with` holds these options; `with` is required if one of them is."""
    schema = {"properties": {"with": {"$ref": f"#/$defs/{stem}"}}}
    return {**schema, "required": ["with"]} if options.get("required") else schema


def _case(use: str, then: Schema) -> Schema:
    return {"if": {"properties": {"use": {"const": use}}, "required": ["use"]}, "then": then}


def _with_backends(schema: Schema, backends: Sequence[OfferedComponent]) -> Schema:
    """Return the definition of `backend` with names to choose from, and what may stand beside each of them."""
    names = [{"const": backend.use, "description": backend.summary} for backend in backends]
    use = {**schema["properties"]["use"], "anyOf": [*names, {"type": "string", "pattern": "/"}, FROM_ENVIRONMENT]}
    cases = [_case(backend.use, {"$ref": f"#/$defs/{backend.stem}"}) for backend in backends]
    for backend in backends:
        if backend.default:
            cases.append({"if": {"not": {"required": ["use"]}}, "then": {"$ref": f"#/$defs/{backend.stem}"}})
    return {**schema, "properties": {**schema["properties"], "use": use}} | ({"allOf": cases} if cases else {})


def _beside_use(options: Schema) -> Schema:
    """Return the schema of a backend's settings, which stand beside `use` and not under `with`."""
    use = {"description": "which backend"}
    return {**options, "properties": {**options.get("properties", {}), "use": use}}


def _by_use(union: Schema, definitions: Schema) -> Schema:
    """Return a union as cases by `use`, so that a mistake is reported for the member that was meant."""
    members = union["discriminator"]["mapping"]
    names = [
        {"const": use, "description": _definition(ref, definitions)["description"]} for use, ref in members.items()
    ]
    return {
        "type": "object",
        "required": ["use"],
        "properties": {"use": {"description": "which stage", "anyOf": [*names, FROM_ENVIRONMENT]}},
        "allOf": [_case(use, {"$ref": ref}) for use, ref in members.items()],
    }


def _definition(ref: str, definitions: Schema) -> Schema:
    return definitions[ref.removeprefix("#/$defs/")]


def _redirected(schema: Schema, use: str) -> Schema:
    return {**schema, "$ref": f"#/$defs/{use}"} if schema.get("$ref") == "#/$defs/Use" else schema


# --- From models


class _WithDescriptions(GenerateJsonSchema):
    """A schema whose fields are described by the text below them."""

    def model_schema(self, schema: ModelSchema) -> Schema:
        model: type[Config] = schema["cls"]
        written = super().model_schema(schema)
        for name, text in descriptions_of(model).items():
            written["properties"][model.model_fields[name].alias or name] |= {"description": text}
        return written


def _model_schema(model: type[Config]) -> Schema:
    written = model.model_json_schema(schema_generator=_WithDescriptions)
    return each_schema(written, lambda schema: _allowing_environment(_tidy(schema)))


def _tidy(schema: Schema) -> Schema:
    tidy = {key: value for key, value in schema.items() if key != "title"}
    if "description" in tidy:
        tidy["description"] = " ".join(tidy["description"].split())
    return tidy


_NOTES = ("description", "default", "examples", "deprecated")


def _allowing_environment(schema: Schema) -> Schema:
    """Return the schema, which if it wants a certain scalar allows a text with `${`, too."""
    members = schema.get("anyOf")
    if members is None:
        if not _is_narrow(schema):
            return schema
        members = [{key: value for key, value in schema.items() if key not in _NOTES}]
    flat = [inner for m in members for inner in (m["anyOf"] if m.keys() == {"anyOf"} else [m])]
    wanted = [member for member in flat if member != FROM_ENVIRONMENT]
    narrow = any(map(_is_narrow, wanted)) and {"type": "string"} not in wanted
    notes = {key: value for key, value in schema.items() if key in _NOTES}
    return {**notes, "anyOf": [*wanted, FROM_ENVIRONMENT] if narrow else wanted}


def _is_narrow(schema: Schema) -> bool:
    """Return whether a schema allows some scalars and not every text."""
    kind = schema.get("type")
    limits = ("const", "enum") if kind != "string" else ("const", "enum", "pattern", "minLength", "maxLength")
    return kind in ("integer", "number", "boolean") or any(limit in schema for limit in limits)
