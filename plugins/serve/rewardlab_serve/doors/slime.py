"""The remote reward of slime and miles: `--rm-type remote_rm --rm-url http://HOST:PORT/slime --reward-key reward`.

They send {"prompt", "response", "label"} and read an object, whose entry `reward` is the number.
"""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.doors import Door, DoorOptions, scored_alone, values_of
from rewardlab_serve.doors.messages import entry
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "slime", "/slime"


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def reward(body: Any, _: Request) -> dict[str, Any]:
        response = options.without_end(entry(body, "response", str, NAME))
        fields = {} if body.get("label") is None else {options.label: body["label"]}
        scores = await scored_alone(service, fields, body.get("prompt"), response)
        values = {f"rewardlab/{name}": value for name, value in values_of(scores).items()}
        return {"reward": number_of(scores["total"], NAME), **values}

    return [Route(PATH, json_endpoint(NAME, metrics, reward), methods=["POST"])]


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes)
