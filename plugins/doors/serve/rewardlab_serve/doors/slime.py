"""The remote reward of slime and miles: `--rm-type remote_rm --rm-url http://HOST:PORT/slime --reward-key reward`.

They send {"prompt", "response", "label"} and read an object, whose entry `reward` is the number.
"""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.bodies import Body, read_body
from rewardlab_serve.doors import Door, DoorOptions, scored_alone, values_of
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "slime", "/slime"


class SlimeBody(Body):
    """A prompt, as a text or messages, the policy's response, and the label of its row."""

    prompt: str | list[Any] | None = None
    response: str
    label: Any = None


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def reward(body: Any, _: Request) -> dict[str, Any]:
        sent = read_body(SlimeBody, body)
        fields = {} if sent.label is None else {options.label: sent.label}
        scores = await scored_alone(service, fields, sent.prompt, options.without_end(sent.response))
        values = {f"rewardlab/{name}": value for name, value in values_of(scores).items()}
        return {"reward": number_of(scores["total"], NAME), **values}

    return [Route(PATH, json_endpoint(NAME, metrics, reward), methods=["POST"])]


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes)
