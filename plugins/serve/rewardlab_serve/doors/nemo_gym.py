"""NeMo-Gym's resources server: POST /verify with {"responses_create_params", "response", ...row}.

Members of a group say so by `_ng_task_index` and `_ng_rollout_index`; the answer is the request with `reward`,
`reward_components`, and of a member without a reward `mask_sample`, `failure_kind` and `failure_reason`. Its agents
also ask for /seed_session before and /aggregate_metrics at the end, and need an answer: the server has no session, and
no metrics of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.doors import Door, DoorOptions, row_of, scored_alone, values_of
from rewardlab_serve.doors.messages import entry, text_of
from rewardlab_serve.errors import bad_request
from rewardlab_serve.json_answers import json_endpoint
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.native_api import member_of
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "nemo_gym", "/verify"
REPEATED_WITHIN = 30.0
"""seconds in which a request counts as a repeat: a later epoch has the same indices, and may have the same answer"""
TASK, ROLLOUT = "_ng_task_index", "_ng_rollout_index"
THEIRS = ("responses_create_params", "response")
OWN = "_ng_"
"""begins names of the rollout's own, such as an attempt, in which members of a group differ"""


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def verify(body: Any, _: Request) -> dict[str, Any]:
        response = entry(body, "response", dict, NAME)
        fields = {name: value for name, value in body.items() if name not in THEIRS and not name.startswith(OWN)}
        prompt = _prompt(entry(body, "responses_create_params", dict, NAME).get("input"))
        answer = _answer(response, bool(service.plan.readers_of_messages))
        if options.group_size is None:
            return {**body, **_verdict(await scored_alone(service, fields, prompt, answer))}
        key, slot = (_index(body, name) for name in (TASK, ROLLOUT))
        row = row_of(fields, prompt, answer)
        members = await service.member(f"task-{key}", slot, options.group_size, row, REPEATED_WITHIN)
        return {**body, **_verdict(member_of(members, slot))}

    async def nothing(_: Any, __: Request) -> dict[str, Any]:
        return {}

    routes = {PATH: verify, "/seed_session": nothing, "/aggregate_metrics": nothing}
    return [Route(path, json_endpoint(NAME, metrics, handler), methods=["POST"]) for path, handler in routes.items()]


def _index(body: Mapping[str, Any], name: str) -> int:
    if not isinstance(body.get(name), int):
        raise bad_request(f"the request has no whole number {name!r}, by which members of a group are known")
    return int(body[name])


def _prompt(given: Any) -> str | list[dict[str, str]]:
    if isinstance(given, str):
        return given
    if not isinstance(given, list):
        raise bad_request("responses_create_params.input is a text or a list of messages")
    texts = [one for one in given if isinstance(one, Mapping) and "content" in one]
    return [{"role": str(one.get("role", "user")), "content": text_of(one["content"])} for one in texts]


def _answer(response: Mapping[str, Any], whole: bool) -> dict[str, Any]:
    """Return a response as a completion, "" if it ended before a message; whole: with what tools did."""
    output = [one for one in entry(response, "output", list, NAME) if isinstance(one, Mapping)]
    messages = [one for one in output if one.get("type") == "message"]
    said: dict[str, Any] = {"text": text_of(messages[-1].get("content")) if messages else ""}
    if whole and len(output) > 1:
        said = {"messages": [turn for one in output if (turn := _turn(one)) is not None]}
    usage = response.get("usage")
    tokens = usage.get("output_tokens") if isinstance(usage, Mapping) else None
    cut = isinstance(response.get("incomplete_details"), Mapping)
    return {**said, "token_count": tokens, "truncated": cut}


def _turn(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an item of a response as a message; None for reasoning, and for what is neither said nor a function's."""
    kind = item.get("type")
    if kind == "message":
        return {"role": "assistant", "content": text_of(item.get("content"))}
    if kind == "function_call":
        return {"role": "assistant", "content": "", "tool_calls": [item]}
    if kind == "function_call_output":
        return {"role": "tool", "content": item.get("output"), "tool_call_id": item.get("call_id")}
    return None


def _verdict(member: Mapping[str, Any]) -> dict[str, Any]:
    components = {name: value for name, value in values_of(member).items() if value is not None}
    verdict = {"reward": member["shaped"], "reward_components": components}
    if member["total"] is not None:
        return verdict
    reasons = [f"{name}: {one['error']}" for name, one in member["components"].items() if one["error"] is not None]
    failure = {"failure_kind": "reward_component_failed", "failure_reason": "; ".join(reasons) or "no total"}
    return {**verdict, "mask_sample": True, **failure}


DOOR = Door(name=NAME, path=PATH, groups=True, messages=True, routes=_routes)
