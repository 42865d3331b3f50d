"""Google's reinforcement tuning with a reward of one's own: a service that answers POST /google.

It sends {"example": {"systemInstruction", "contents", "references"}, "response", "metadata"} and reads {"reward",
"user_requested_aux_info"}; a reward lies in [-1, 1].
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.bodies import Body, read_body
from rewardlab_serve.doors import Door, DoorOptions, scored_alone, values_of
from rewardlab_serve.doors.messages import split_conversation
from rewardlab_serve.errors import bad_body, failed_response
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "google", "/google"
ENDED, CUT = "STOP", "MAX_TOKENS"
"""the reasons with which an answer ends as it should, or at its limit; with another there is none"""


class GooglePart(Body):
    """A part of a content that is text; `thought`: of the reasoning, which is no part of the answer."""

    text: str
    thought: bool = False


Parts = Annotated[list[GooglePart], Field(min_length=1)]


class GoogleContent(Body):
    """A message."""

    role: Literal["user", "model"] | None = None
    parts: Parts

    def text(self) -> str:
        """Return what was said, without thoughts."""
        return "".join(part.text for part in self.parts if not part.thought)


class SystemInstruction(Body):
    """The instruction before a conversation, under whatever role."""

    parts: Parts


class GoogleExample(Body):
    """A row: what the model was asked, and its references."""

    contents: Annotated[list[GoogleContent], Field(min_length=1)]
    systemInstruction: SystemInstruction | None = None  # noqa: N815
    references: dict[str, Any] | str | None = None


class ModelContent(Body):
    """The output of the model; a candidate that was blocked, or that thought to its end, has no parts."""

    role: Literal["model"] | None = None
    parts: Sequence[GooglePart] = ()


class GoogleCandidate(Body):
    """An answer of a reply."""

    content: ModelContent | None = None
    finishReason: str | None = None  # noqa: N815


class GoogleReply(Body):
    """A reply of generateContent."""

    candidates: Annotated[list[GoogleCandidate], Field(min_length=1)]


class GoogleBody(Body):
    """What the service is sent. response: a text, its parts, a message, a candidate or a reply."""

    example: GoogleExample
    response: Any


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def reward(body: Any, _: Request) -> dict[str, Any]:
        sent = read_body(GoogleBody, body)
        answer, truncated = _answer(sent.response)
        asked = sent.example.contents
        system = sent.example.systemInstruction
        before = [] if system is None else [{"role": "system", "content": "".join(part.text for part in system.parts)}]
        turns = [{"role": _ROLES[content.role], "content": content.text()} for content in asked]
        prompt, text = split_conversation([*before, *turns, {"role": "assistant", "content": answer}])
        completion = {"text": text, "truncated": truncated}
        scores = await scored_alone(service, _fields(sent.example, options.label), prompt, completion)
        total = {"reward": number_of(scores["total"], NAME)}
        return {**total, "user_requested_aux_info": json.dumps(values_of(scores))}

    return [Route(PATH, json_endpoint(NAME, metrics, reward), methods=["POST"])]


_ROLES = {"user": "user", None: "user", "model": "assistant"}


def _answer(response: Any) -> tuple[str, bool]:
    """Return (an answer's text, whether it was cut off). Raises a RequestError for one that was blocked or failed."""
    feedback = response.get("promptFeedback") if isinstance(response, dict) else None
    is_blocked = isinstance(feedback, dict) and feedback.get("blockReason")
    if is_blocked or (feedback is not None and not response.get("candidates")):
        raise failed_response(f"the response has no answer: {json.dumps(feedback)[:200]}")
    if isinstance(response, dict) and "candidates" in response:
        return _of_candidate(read_body(GoogleReply, response).candidates[0])
    if isinstance(response, dict):
        message = {**response, "content": response} if "parts" in response else response
        return _of_candidate(read_body(GoogleCandidate, message))
    if isinstance(response, list):
        return GoogleContent(parts=read_body(Parts, response)).text(), False
    return read_body(str, response), False


def _of_candidate(candidate: GoogleCandidate) -> tuple[str, bool]:
    reason, content = candidate.finishReason, candidate.content
    if reason not in (None, ENDED, CUT):
        raise failed_response(f"the response ended with {reason[:64]!r}, and has no answer")
    parts = [] if content is None else content.parts
    if not parts and reason is None:
        raise bad_body("response: a candidate has a content with parts, or a finishReason that says why it has none")
    return "".join(part.text for part in parts if not part.thought), reason == CUT


def _fields(example: GoogleExample, label: str) -> dict[str, Any]:
    """Return the row's fields: references by their names, a lone text as the label."""
    if isinstance(example.references, str):
        return {label: example.references}
    return dict(example.references or {})


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes, bounds=(-1.0, 1.0))
