"""Google's reinforcement tuning with a reward of one's own: a service that answers POST /google.

It sends {"example": {"systemInstruction", "contents", "references"}, "response", "metadata"} and reads {"reward",
"user_requested_aux_info"}; a reward lies in [-1, 1].
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.doors import Door, DoorOptions, scored_alone, values_of
from rewardlab_serve.doors.messages import entry, split_conversation, text_of
from rewardlab_serve.errors import bad_request
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "google", "/google"


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def reward(body: Any, _: Request) -> dict[str, Any]:
        example = entry(body, "example", dict, NAME)
        answer = {"role": "model", "parts": [{"text": _response(body.get("response"))}]}
        system = example.get("systemInstruction")
        before = [{**system, "role": "system"}] if isinstance(system, Mapping) else []
        prompt, text = split_conversation([*before, *entry(example, "contents", list, NAME), answer])
        scores = await scored_alone(service, _fields(example, options.label), prompt, text)
        found = {"reward": number_of(scores["total"], NAME)}
        return {**found, "user_requested_aux_info": json.dumps(values_of(scores))}

    return [Route(PATH, json_endpoint(NAME, metrics, reward), methods=["POST"])]


def _response(response: Any) -> str:
    """Return the answer's text: a text, a message, or the candidates of a reply."""
    if isinstance(response, Mapping) and isinstance(response.get("candidates"), list) and response["candidates"]:
        return _response(response["candidates"][0])
    if isinstance(response, Mapping):
        return _response(response.get("content", response.get("parts")))
    return text_of(response)


def _fields(example: Mapping[str, Any], label: str) -> dict[str, Any]:
    """Return the row's fields: references by their names, a lone text as the label."""
    references = example.get("references")
    if references is None:
        return {}
    if isinstance(references, Mapping):
        return dict(references)
    if isinstance(references, str):
        return {label: references}
    raise bad_request("references are an object of fields, or a text")


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes, bounds=(-1.0, 1.0))
