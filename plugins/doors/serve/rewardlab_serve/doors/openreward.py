"""An environment of OpenReward: a session has a row as its task, and `score_group` scores the candidates of its prompt.

Its client (0.1.167) opens a session by POST /create_session and /create, keeps it by /ping, and asks for scores by POST
/ENVIRONMENT/score_group; these are {"scores": [{"reward", "metadata"}]}, in server-sent events.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rewardlab_serve.bodies import Body, read_body
from rewardlab_serve.doors import Door, DoorOptions, row_of, values_of
from rewardlab_serve.doors.event_stream import event_stream, event_stream_of
from rewardlab_serve.doors.sessions import Sessions
from rewardlab_serve.errors import bad_body, bad_request, unavailable
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


class TextBlock(Body):
    """A block of text."""

    type: Literal["text"]
    text: str


class ReasoningBlock(Body):
    """A block of the model's thoughts."""

    type: Literal["reasoning"]


class ToolCallBlock(Body):
    """A call of a tool."""

    type: Literal["tool_call"]
    input: Any = None


class ToolResultBlock(Body):
    """The result of a tool."""

    type: Literal["tool_result"]
    tool_call_id: str | None = None
    blocks: list[TextBlock]


class OtherBlock(Body):
    """A block of another kind, such as an image."""

    type: str


def _kind_of(block: Any) -> str:
    kind = block.get("type") if isinstance(block, dict) else getattr(block, "type", None)
    return kind if kind in KINDS else "other"


Block = Annotated[
    Annotated[TextBlock, Tag("text")]
    | Annotated[ReasoningBlock, Tag("reasoning")]
    | Annotated[ToolCallBlock, Tag("tool_call")]
    | Annotated[ToolResultBlock, Tag("tool_result")]
    | Annotated[OtherBlock, Tag("other")],
    Discriminator(_kind_of),
]


class OpenRewardMessage(Body):
    """A message of blocks."""

    role: str
    blocks: list[Block]


class OpenRewardCandidate(Body):
    """A candidate's transcript."""

    messages: list[OpenRewardMessage]


class CandidatesBody(Body):
    """The candidates of a session's prompt."""

    candidates: list[OpenRewardCandidate] = Field(min_length=1)


class CallBody(Body):
    """A call of the server's tool."""

    name: str


def _routes(service: RewardService, metrics: Metrics, _: DoorOptions) -> Sequence[Route]:
    sessions = Sessions()

    async def score_group(body: Any, request: Request) -> Response:
        task = sessions.row(_session(request))
        prompt, whole = task.get("prompt"), bool(service.plan.readers_of_messages)
        sent, asked = read_body(CandidatesBody, body).candidates, read_body(list[OpenRewardMessage], _messages(prompt))
        completions = [
            _conversation(candidate.messages, asked) if whole else _answer(candidate.messages) for candidate in sent
        ]
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
            raise bad_body("this server has no tasks of its own: open a session with a task_spec, which is a row")
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
        return [
            block for message in _messages(sessions.row(_session(request)).get("prompt")) for block in message["blocks"]
        ]

    ends = [("POST", path, end) for path in ("/delete", "/delete_session")]
    begins = [("POST", "/create_session", begin), ("POST", "/create", create), ("POST", "/ping", keep)]
    return [*begins, *ends, ("GET", "/messages", messages), ("GET", "/prompt", prompt)]


def _fixed_routes() -> Sequence[tuple[str, str, Handler]]:
    async def call(body: Any, _: Request) -> Response:
        if read_body(CallBody, body).name != LAST_MESSAGE["name"]:
            raise bad_body(f"the only tool here is {LAST_MESSAGE['name']!r}")
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
    session = request.headers.get("x-session-id", "").strip()
    if not session:
        raise bad_request("the request has no header X-Session-ID")
    return session


def _messages(prompt: Any) -> list[dict[str, Any]]:
    given = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt or []
    return [{"role": message["role"], "blocks": [{"type": "text", "text": message["content"]}]} for message in given]


def _answer(messages: Sequence[OpenRewardMessage]) -> dict[str, Any]:
    """Return the text of the last turn, without its reasoning and calls."""
    last = messages[-1] if messages else None
    if last is None or last.role != "assistant":
        raise bad_body("the last message of a candidate is the assistant's answer, and this one is not")
    if strange := [
        block.type for block in last.blocks if not isinstance(block, TextBlock | ReasoningBlock | ToolCallBlock)
    ]:
        raise bad_body(
            f"the assistant's answer has a block {strange[0][:64]!r}; texts, reasoning and calls are its own"
        )
    return {"text": _text(last.blocks)}


def _conversation(messages: Sequence[OpenRewardMessage], prompt: Sequence[OpenRewardMessage]) -> dict[str, Any]:
    """Return what a candidate's model said, with what tools did; its transcript may begin with the prompt."""
    _answer(messages)
    turns = [turn for message in messages for turn in _turns(message)]
    asked = [turn for message in prompt for turn in _turns(message)]
    behind = turns[len(asked) :] if turns[: len(asked)] == asked else turns
    first = next(index for index, turn in enumerate(behind) if turn["role"] == "assistant")
    return {"messages": behind[first:]}


def _turns(message: OpenRewardMessage) -> list[dict[str, Any]]:
    """Return a message as a conversation has it, where results of tools stand apart from what the user said."""
    if strange := [block.type for block in message.blocks if isinstance(block, OtherBlock)]:
        raise bad_body(f"rewards read texts only, and a message has a block {strange[0][:64]!r}")
    of_tools = [block for block in message.blocks if isinstance(block, ToolResultBlock)]
    results = [
        {"role": "tool", "content": _text(result.blocks), "tool_call_id": result.tool_call_id} for result in of_tools
    ]
    calls = [
        {**block.model_dump(), "arguments": block.input} for block in message.blocks if isinstance(block, ToolCallBlock)
    ]
    turn: dict[str, Any] = {"role": message.role, "content": _text(message.blocks)}
    if calls:
        turn["tool_calls"] = calls
    return [*results, *([turn] if turn["content"] or calls or not results else [])]


def _text(blocks: Sequence[Any]) -> str:
    return "".join(block.text for block in blocks if isinstance(block, TextBlock))


def _scores(group: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer about a group. Raises a RequestError if one has no reward: the door has no word for that."""
    members = [member_of(group, slot) for slot in range(len(group["total"]))]
    masked = [str(member["slot"]) for member in members if member["total"] is None]
    if masked:
        problem = f"candidates {', '.join(masked)} have no reward, since a component has no value"
        raise unavailable("missing_reward", problem)
    return {
        "scores": [{"reward": member["shaped"], "metadata": {"components": values_of(member)}} for member in members]
    }


DOOR = Door(name=NAME, path=PATH, groups=True, says_size=True, messages=True, routes=_routes)
