"""NeMo-Gym's resources server: POST /verify with {"responses_create_params", "response", ...row}.

Members of a group say so by `_ng_task_index` and `_ng_rollout_index`; the answer is the request with `reward`,
`reward_components`, and of a member without a reward `mask_sample`, `failure_kind` and `failure_reason`. Its agents
also ask for /seed_session before and /aggregate_metrics at the end, and need an answer: the server has no session, and
no metrics of its own. Source: nemo-gym 0.7.0, base_resources_server.py, openai_utils.py and failure_kinds.py.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.bodies import Body, read_body
from rewardlab_serve.doors import Door, DoorOptions, row_of, scored_alone, values_of
from rewardlab_serve.doors.messages import ChatMessage, TextPart, messages_of_prompt
from rewardlab_serve.errors import INCOMPLETE_GROUP, LATE_MEMBER, RequestError, bad_body
from rewardlab_serve.json_answers import json_endpoint
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.native_api import member_of
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "nemo_gym", "/verify"
REPEATED_WITHIN = 30.0
"""seconds in which a request counts as a repeat: a later epoch has the same indices, and may have the same answer"""
THEIRS = ("responses_create_params", "response")
OWN = "_ng_"
"""begins names of the rollout's own, such as an attempt, in which members of a group differ"""
UNSAID = {
    "reasoning", "compaction", "additional_tools", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
    "tool_search_output",
    *(f"{tool}_call{end}" for tool in (
        "mcp", "file_search", "web_search", "computer", "code_interpreter", "local_shell", "custom_tool", "apply_patch",
        "shell", "tool_search",
    ) for end in ("", "_output")),
    "image_generation_call",
}  # fmt: skip
"""kinds of items that say nothing and are no function's: their hosts' own"""
JUDGE_FAILED, JUDGE_UNPARSEABLE, VERIFIER_ERROR = "judge_failed", "judge_unparseable", "verifier_error"
COHORT_INCOMPLETE = "cohort_incomplete"
FAILED = {"failed": "agent_run_error", "cancelled": "cancelled"}
"""status of a response -> the kind of failure, of those that NeMo-Gym registers"""
FILTERED = "content_filter"
"""the reason with which no answer is incomplete: it was taken away"""


class RefusalPart(Body):
    """A part of a message in which the model declines to answer."""

    type: Literal["refusal"]
    refusal: str


class ResponseMessage(Body):
    """An item of a response that is a message; simulated users and prompts stand among them."""

    role: Literal["assistant", "user", "system", "developer"] = "assistant"
    status: Literal["completed", "incomplete"] | None = None
    content: str | Annotated[list[TextPart | RefusalPart], Field(min_length=1)]

    def text(self) -> str:
        """Return what was said, refusals too."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.refusal if isinstance(part, RefusalPart) else part.text for part in self.content)


class ResponseUsage(Body):
    """The tokens of a response."""

    output_tokens: int | None = None


class ModelResponse(Body):
    """A response of OpenAI's Responses API."""

    output: list[dict[str, Any]]
    status: Literal["completed", "incomplete", "failed", "cancelled"] | None = None
    error: Any = None
    incomplete_details: dict[str, Any] | None = None
    usage: ResponseUsage | None = None


class ResponseRequest(Body):
    """The question that the model was asked."""

    input: str | list[dict[str, Any]]


class VerifyBody(Body):
    """A rollout; its row's fields stand beside it."""

    responses_create_params: ResponseRequest
    response: ModelResponse


class MemberPlace(Body):
    """The place of a rollout in its group."""

    task: int = Field(alias="_ng_task_index")
    rollout: int = Field(alias="_ng_rollout_index")


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def verify(body: Any, _: Request) -> dict[str, Any]:
        sent = read_body(VerifyBody, body)
        place = None if options.group_size is None else read_body(MemberPlace, body)
        if (failure := _failure_of(sent.response)) is not None:
            return {**body, **failure}
        fields = {name: value for name, value in body.items() if name not in THEIRS and not name.startswith(OWN)}
        prompt = _prompt(sent.responses_create_params)
        answer = _answer(sent.response, bool(service.plan.readers_of_messages))
        if place is None or options.group_size is None:
            return {**body, **_verdict(service, await scored_alone(service, fields, prompt, answer))}
        row = row_of(fields, prompt, answer)
        key = f"task-{place.task}"
        try:
            members = await service.member(key, place.rollout, options.group_size, row, REPEATED_WITHIN)
        except RequestError as error:
            if error.kind not in (INCOMPLETE_GROUP, LATE_MEMBER):
                raise
            return {**body, **_masked(COHORT_INCOMPLETE, str(error))}
        return {**body, **_verdict(service, member_of(members, place.rollout))}

    async def nothing(_: Any, __: Request) -> dict[str, Any]:
        return {}

    routes = {PATH: verify, "/seed_session": nothing, "/aggregate_metrics": nothing}
    return [Route(path, json_endpoint(NAME, metrics, handler), methods=["POST"]) for path, handler in routes.items()]


def _failure_of(response: ModelResponse) -> dict[str, Any] | None:
    """Return the answer about a response that a server did not begin or finish, or filtered; None for others."""
    if (response.incomplete_details or {}).get("reason") == FILTERED:
        return _masked(FAILED["failed"], "the response was cut off by a filter of its content")
    if response.status in FAILED or response.error is not None:
        reason = response.error.get("message") if isinstance(response.error, dict) else response.error
        status = response.status if response.status in FAILED else "failed"
        return _masked(FAILED[str(status)], f"the response is {status}: {reason or 'without a reason'}")
    unsaid = not response.output and response.incomplete_details is None
    if unsaid or (response.usage is not None and response.usage.output_tokens == 0):
        return _masked(FAILED["failed"], "no model was called: the response has no output, or no token")
    return None


def _masked(kind: str, reason: str) -> dict[str, Any]:
    return {"reward": 0.0, "reward_components": {}, "mask_sample": True, "failure_kind": kind, "failure_reason": reason}


def _prompt(asked: ResponseRequest) -> str | list[dict[str, Any]]:
    if isinstance(asked.input, str):
        return asked.input
    items = [item for item in asked.input if item.get("type", "message") == "message"]
    return messages_of_prompt([read_body(ChatMessage, item).plain() for item in items])


def _answer(response: ModelResponse, whole: bool) -> dict[str, Any]:
    """Return a response as a completion, "" if it ended before a message; whole: with what tools did."""
    items = [_item(item) for item in response.output]
    texts = [item.text() for item in items if isinstance(item, ResponseMessage) and item.role == "assistant"]
    completion: dict[str, Any] = {"text": texts[-1] if texts else ""}
    turns = [turn for item in items if (turn := _turn(item)) is not None]
    if whole and len(turns) > 1:
        completion = {"messages": turns}
    tokens = None if response.usage is None else response.usage.output_tokens
    ends = [item.status for item in items if isinstance(item, ResponseMessage) and item.role == "assistant"]
    cut = response.incomplete_details is not None or "incomplete" in (response.status, *ends[-1:])
    return {**completion, "token_count": tokens, "truncated": cut}


def _item(item: dict[str, Any]) -> ResponseMessage | dict[str, Any]:
    """Return an item of a response, a message or one of a known kind. Raises a RequestError for another."""
    kind = item.get("type", "message" if "role" in item else None)
    if kind == "message":
        return read_body(ResponseMessage, item)
    if kind in ("function_call", "function_call_output") or (isinstance(kind, str) and kind in UNSAID):
        return item
    raise bad_body(f"response.output: an item of type {str(kind)[:64]!r}; messages, calls and reasoning are read")


def _turn(item: ResponseMessage | dict[str, Any]) -> dict[str, Any] | None:
    """Return an item of a response as a message; None for reasoning, and for what is neither said nor a function's."""
    if isinstance(item, ResponseMessage):
        return {"role": item.role, "content": item.text()}
    if item["type"] == "function_call":
        return {"role": "assistant", "content": "", "tool_calls": [item]}
    if item["type"] == "function_call_output":
        return {"role": "tool", "content": item.get("output"), "tool_call_id": item.get("call_id")}
    return None


def _verdict(service: RewardService, member: Mapping[str, Any]) -> dict[str, Any]:
    components = {name: value for name, value in values_of(member).items() if value is not None}
    verdict = {"reward": member["shaped"], "reward_components": components}
    if member["total"] is not None:
        return verdict
    failed = {name: score for name, score in member["components"].items() if score["error"] is not None}
    reason = "; ".join(f"{name}: {score['error']}" for name, score in failed.items()) or "no total"
    judged = [score["info"] or {} for name, score in failed.items() if service.plan.components[name].judges()]
    kind = VERIFIER_ERROR if not judged else JUDGE_UNPARSEABLE if all(map(_unread, judged)) else JUDGE_FAILED
    return {**_masked(kind, reason), **verdict}


def _unread(info: Mapping[str, Any]) -> bool:
    """Return whether a judge answered, and none of its answers could be read."""
    return bool(info.get("unread") or info.get("unparsable")) and not info.get("failed")


DOOR = Door(name=NAME, path=PATH, groups=True, messages=True, routes=_routes)
