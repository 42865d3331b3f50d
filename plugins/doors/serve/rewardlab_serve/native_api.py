"""The routes that carry all that a recipe says of a group: whole groups, members, and many groups at once."""

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rewardlab_serve.bodies import read_body
from rewardlab_serve.errors import RequestError, bad_request
from rewardlab_serve.json_answers import json_answer, json_endpoint
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME = "native"
MAX_BATCH, MAX_DIGITS = 4096, 9
"""groups of a batch; digits of a slot"""


class CompletionBody(BaseModel):
    """A completion with what is known of it."""

    model_config = ConfigDict(extra="allow")  # the check of the row names what has no place, and only the first of it

    text: str | None = None
    messages: list[Any] | None = None
    token_count: int | None = None
    truncated: bool = False
    seconds: float | None = None
    error: str | None = None


AnyCompletion = str | list[Any] | CompletionBody
"""a text, messages, or one of them with what is known of it"""


class GroupBody(BaseModel):
    """A prompt with all its completions; the row's other fields stand beside them."""

    model_config = ConfigDict(extra="allow")

    id: str | int | None = None
    prompt: str | list[Any] | None = None
    completions: list[AnyCompletion] = Field(min_length=1, fail_fast=True)  # a million errors fill the memory


class MemberBody(BaseModel):
    """A completion of a group that others complete; prompt and fields are the same in each of them."""

    model_config = ConfigDict(extra="allow")

    size: int = Field(ge=1)
    prompt: str | list[Any] | None = None
    completion: AnyCompletion


class BatchBody(BaseModel):
    """Many groups at once."""

    model_config = ConfigDict(extra="forbid")

    groups: list[Any] = Field(min_length=1, max_length=MAX_BATCH)


def native_routes(service: RewardService, metrics: Metrics) -> list[Route]:
    """Return the routes under /v1."""

    async def group(body: Any, _: Request) -> dict[str, Any]:
        return await service.group(_checked(GroupBody, body))

    async def member(body: Any, request: Request) -> dict[str, Any]:
        slot = _slot(request.path_params["slot"])
        given = _checked(MemberBody, body)
        row = {name: value for name, value in given.items() if name not in ("size", "completion")}
        row["completions"] = [given["completion"]]
        scored = await service.member(request.path_params["group"], slot, given["size"], row)
        return member_of(scored, slot)

    async def batch(body: Any, _: Request) -> dict[str, Any]:
        rows = _checked(BatchBody, body)["groups"]
        return {"groups": await service.in_turn(partial(_answer_or_error, service), rows)}

    async def state(request: Request) -> Response:
        known = service.state(request.path_params["group"])
        if known is None:
            error = RequestError(
                HTTPStatus.NOT_FOUND, "unknown_group", "no such group is under way, nor its answer kept"
            )
            return json_answer(error.as_dict(), error.status)
        return json_answer(known[0], HTTPStatus.OK if known[1] else HTTPStatus.ACCEPTED)

    post = [("/v1/groups", group), ("/v1/groups/{group:path}/members/{slot}", member), ("/v1/batch", batch)]
    routes = [Route(path, json_endpoint(NAME, metrics, handler), methods=["POST"]) for path, handler in post]
    return [*routes, Route("/v1/groups/{group:path}", state, methods=["GET"])]


def member_of(group: Mapping[str, Any], slot: int) -> dict[str, Any]:
    """Return one completion's part of a group's answer, which has `members` if it is of some slots only."""
    at = group["members"].index(slot) if "members" in group else slot
    components = {
        name: {column: values[at] for column, values in columns.items()}
        for name, columns in group["components"].items()
    }
    return {
        "id": group["id"],
        "slot": slot,
        "total": group["total"][at],
        "shaped": group["shaped"][at],
        "components": components,
    }


def _slot(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise bad_request(f"the slot of a member is a number, and not {text[:20]!r}")
    return int(text)


async def _answer_or_error(service: RewardService, row: Any) -> dict[str, Any]:
    try:
        return await service.group(_checked(GroupBody, row))
    except RequestError as error:
        return error.as_dict()


def _checked(model: type[BaseModel], body: Any) -> dict[str, Any]:
    """Return a body that has the form of a model, as it came. Raises a RequestError that names what is wrong."""
    read_body(model, body)
    assert isinstance(body, dict)
    return body
