"""An environment of OpenReward: a session has a row as its task, and `score_group` scores the candidates of its prompt.

Its client (0.1.167) opens a session by POST /create_session and /create, keeps it by /ping, and asks for scores by POST
/ENVIRONMENT/score_group; these are {"scores": [{"reward", "metadata"}]}, in server-sent events.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rewardlab_serve.doors import Door, DoorOptions, row_of, values_of
from rewardlab_serve.doors.event_stream import event_stream, event_stream_of
from rewardlab_serve.doors.messages import entry, text_of
from rewardlab_serve.doors.sessions import Sessions
from rewardlab_serve.errors import bad_request, unavailable
from rewardlab_serve.json_answers import Handler, json_endpoint
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.native_api import member_of
from rewardlab_serve.reward_service import RewardService

NAME, ENVIRONMENT = "openreward", "rewardlab"
PATH = f"/{ENVIRONMENT}/score_group"
BEFORE_STREAM = 2.0
"""seconds in which a failure is answered by its status, upon which the client asks again; later its client raises it"""
LAST_MESSAGE = {"name": "answer", "arg": "text", "description": "This ends the episode; the group's reward is its own."}
"""the tool that a harness hands the last message to, and without which it would wait for calls"""
KINDS = ("text", "reasoning", "tool_call", "tool_result")
TOOLS = {
    "tools": [],
    "terminal_tool": LAST_MESSAGE,
    "supports_score_group": True,
    "message_block_types": [*KINDS],
}
ENDED = {"ok": True, "output": {"blocks": [], "metadata": None, "reward": None, "finished": True}}


def _routes(service: RewardService, metrics: Metrics, _: DoorOptions) -> Sequence[Route]:
    sessions = Sessions()

    async def score_group(body: Any, request: Request) -> Response:
        task = sessions.row(_session(request))
        prompt, whole = task.get("prompt"), bool(service.plan.readers_of_messages)
        candidates = entry(body, "candidates", list, NAME)
        completions = [_conversation(one, _messages(prompt)) if whole else _answer(one) for one in candidates]
        row = {**row_of(task, prompt, ""), "completions": completions}
        scoring = asyncio.ensure_future(service.group(row))
        try:
            await asyncio.wait([scoring], timeout=BEFORE_STREAM)
        except asyncio.CancelledError:
            scoring.cancel()
            raise
        if scoring.done():
            return event_stream("scores", _scores(scoring.result()))
        return event_stream_of("scores", scoring, _scores)

    routes = [("POST", "/score_group", score_group), *_session_routes(service, sessions), *_fixed_routes()]
    starts = ("", f"/{ENVIRONMENT}")  # a client asks without an environment's name, too
    return [
        Route(start + path, json_endpoint(NAME, metrics, handler), methods=[method])
        for start in starts
        for method, path, handler in routes
    ]


def _session_routes(service: RewardService, sessions: Sessions) -> Sequence[tuple[str, str, Handler]]:
    async def begin(_: Any, __: Request) -> Response:
        return event_stream(sessions.new_id(), "")

    async def create(body: Any, request: Request) -> dict[str, Any]:
        if not isinstance(body, Mapping) or not isinstance(body.get("task_spec"), Mapping):
            raise bad_request("this server has no tasks of its own: open a session with a task_spec, which is a row")
        row = body["task_spec"]
        service.check(row_of(row, row.get("prompt"), ""))  # before a rollout is paid for
        sessions.open(_session(request), row)
        return {"sid": _session(request)}

    async def keep(_: Any, request: Request) -> dict[str, Any]:
        sessions.row(_session(request))
        return {"status": "ok"}

    async def end(_: Any, request: Request) -> dict[str, Any]:
        sessions.close(_session(request))
        return {"sid": _session(request)}

    async def messages(_: Any, request: Request) -> list[dict[str, Any]]:
        return _messages(sessions.row(_session(request)).get("prompt"))

    async def prompt(_: Any, request: Request) -> list[dict[str, Any]]:
        return [block for one in _messages(sessions.row(_session(request)).get("prompt")) for block in one["blocks"]]

    ends = [("POST", path, end) for path in ("/delete", "/delete_session")]
    begins = [("POST", "/create_session", begin), ("POST", "/create", create), ("POST", "/ping", keep)]
    return [*begins, *ends, ("GET", "/messages", messages), ("GET", "/prompt", prompt)]


def _fixed_routes() -> Sequence[tuple[str, str, Handler]]:
    async def call(body: Any, _: Request) -> Response:
        if entry(body, "name", str, NAME) != LAST_MESSAGE["name"]:
            raise bad_request(f"the only tool here is {LAST_MESSAGE['name']!r}")
        return event_stream("call", ENDED)

    async def tools(_: Any, __: Request) -> dict[str, Any]:
        return TOOLS

    async def splits(_: Any, __: Request) -> list[Any]:
        return []

    async def names(_: Any, __: Request) -> list[str]:
        return [ENVIRONMENT]

    gets = {"/tools": tools, "/task_tools": tools, "/splits": splits, "/list_environments": names}
    return [("POST", "/call", call), *(("GET", path, handler) for path, handler in gets.items())]


def _session(request: Request) -> str:
    found = request.headers.get("x-session-id", "").strip()
    if not found:
        raise bad_request("the request has no header X-Session-ID")
    return found


def _messages(prompt: Any) -> list[dict[str, Any]]:
    given = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt or []
    return [{"role": one["role"], "blocks": [{"type": "text", "text": text_of(one["content"])}]} for one in given]


def _answer(candidate: Any) -> dict[str, Any]:
    """Return the text of the last turn, without its reasoning and calls."""
    turns = entry(candidate, "messages", list, NAME)
    last = turns[-1] if turns else None
    if not isinstance(last, Mapping) or last.get("role") != "assistant":
        raise bad_request("the last message of a candidate is the assistant's answer, and this one is not")
    return {"text": text_of([one for one in entry(last, "blocks", list, NAME) if _is_shown(one)])}


def _is_shown(block: Any) -> bool:
    return not isinstance(block, Mapping) or block.get("type") not in ("reasoning", "tool_call")


def _conversation(candidate: Any, prompt: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a candidate's model said, with what tools did; its transcript may begin with the prompt."""
    _answer(candidate)
    turns = [turn for one in candidate["messages"] for turn in _turns(one)]
    asked = [turn for one in prompt for turn in _turns(one)]
    behind = turns[len(asked) :] if turns[: len(asked)] == asked else turns
    first = next(index for index, turn in enumerate(behind) if turn["role"] == "assistant")
    return {"messages": behind[first:]}


def _turns(message: Any) -> list[dict[str, Any]]:
    """Return a message as a conversation has it, where results of tools stand apart from what the user said."""
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise bad_request('a message is an object {"role", "blocks"}')
    blocks = [one for one in entry(message, "blocks", list, NAME) if isinstance(one, Mapping)]
    of = {kind: [one for one in blocks if one.get("type", "text") == kind] for kind in (*KINDS, "image")}
    if of["image"]:
        raise bad_request("rewards read texts only, and this message has an image")
    results = [
        {"role": "tool", "content": text_of(one.get("blocks")), "tool_call_id": one.get("tool_call_id")}
        for one in of["tool_result"]
    ]
    said: dict[str, Any] = {"role": message["role"], "content": text_of(of["text"])}
    if calls := [{**one, "arguments": one.get("input")} for one in of["tool_call"]]:
        said["tool_calls"] = calls
    return [*results, *([said] if of["text"] or calls or not results else [])]


def _scores(group: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer about a group. Raises a RequestError if one has no reward: the door has no word for that."""
    members = [member_of(group, slot) for slot in range(len(group["total"]))]
    masked = [str(one["slot"]) for one in members if one["total"] is None]
    if masked:
        what = f"candidates {', '.join(masked)} have no reward, since a component has no value"
        raise unavailable("missing_reward", what)
    return {"scores": [{"reward": one["shaped"], "metadata": {"components": values_of(one)}} for one in members]}


DOOR = Door(name=NAME, path=PATH, groups=True, says_size=True, messages=True, routes=_routes)
