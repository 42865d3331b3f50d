"""The description of the routes as an OpenAPI document, with the fields that the recipe's rewards need."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from rewardlab.plan import Plan

from rewardlab_serve.doors import Door
from rewardlab_serve.native_api import BatchBody, GroupBody, MemberBody

ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "kind": {"type": "string"},
                "message": {"type": "string"},
                "retry_after": {"type": ["number", "null"]},
            },
        }
    },
}
NUMBER = {"type": ["number", "null"]}
FAILURES = {
    "400": "the body is not JSON",
    "401": "the token is missing or wrong",
    "409": "the group has another prompt, size or completion there, or was scored without this one",
    "413": "the body is too large",
    "422": "the body is not what the route reads, or the reward cannot score such a row",
    "429": "too many requests; Retry-After says when",
    "503": "no reward now: a component or a judge failed, or the group did not come together; Retry-After says when",
}


def description(plan: Plan, doors: Sequence[Door]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of a recipe's server."""
    needed = plan.row_needs.fields
    fields = {name: {"description": f"needed by {readers}"} for name, readers in needed.items()}
    listed, alone = _group(plan, many=True), _group(plan, many=False)
    paths = {
        "/v1/groups": _post("Score a group", _body(GroupBody, fields), listed),
        "/v1/groups/{group}/members/{slot}": {
            **_post("Score a member, once its group has come", _body(MemberBody, fields), alone),
            "parameters": [_parameter("group", "string"), _parameter("slot", "integer")],
        },
        "/v1/batch": _post(
            "Score many groups", _body(BatchBody, {}), {"type": "object", "properties": {"groups": {"type": "array"}}}
        ),
        **{door.path: _post(f"The door {door.name}", {"type": ["object", "array"]}, {}) for door in doors},
    }
    about = {"title": f"rewardlab: {plan.recipe.name}", "version": "1"}
    return {"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": {"Error": ERROR}}}


def _post(summary: str, body: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    responses: dict[str, Any] = {
        "200": {"description": "the scores", "content": {"application/json": {"schema": answer}}},
        **{status: {"description": meaning, "content": error} for status, meaning in FAILURES.items()},
    }
    request = {"required": True, "content": {"application/json": {"schema": body}}}
    return {"post": {"summary": summary, "requestBody": request, "responses": responses}}


def _parameter(name: str, kind: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": kind}}


def _body(model: type[BaseModel], fields: dict[str, Any]) -> dict[str, Any]:
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    definitions = schema.pop("$defs", {})
    schema["properties"] |= fields
    schema["required"] = sorted({*schema.get("required", ()), *fields})
    return {**_inlined(schema, definitions)}


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {key: _inlined(value, definitions) for key, value in schema.items()}


def _group(plan: Plan, many: bool) -> dict[str, Any]:
    def of(schema: dict[str, Any]) -> dict[str, Any]:
        return {"type": "array", "items": schema} if many else schema

    component = {
        "type": "object",
        "properties": {"value": of(NUMBER), "error": of({"type": ["string", "null"]}), "info": of({"type": "object"})},
    }
    components = {"type": "object", "properties": dict.fromkeys(plan.components, component)}
    numbers = {"total": of(NUMBER), "shaped": of({"type": "number"})}
    slot = {} if many else {"slot": {"type": "integer"}}
    return {"type": "object", "properties": {"id": {"type": "string"}, **slot, **numbers, "components": components}}
