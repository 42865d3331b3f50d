"""eval-protocol's reward endpoint: POST /reward with {"messages", "ground_truth", ...fields}.

It reads {"score", "reason", "metrics"}; each metric says whether its score is valid, so that a missing one is no 0.
"""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.doors import Door, DoorOptions, scored_alone
from rewardlab_serve.doors.messages import entry, split_conversation
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "eval_protocol", "/reward"
THEIRS = ("messages", "ground_truth")


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def reward(body: Any, _: Request) -> dict[str, Any]:
        prompt, text = split_conversation(entry(body, "messages", list, NAME))
        row = {name: value for name, value in body.items() if name not in THEIRS}
        if body.get("ground_truth") is not None:
            row[options.label] = body["ground_truth"]
        group = await scored_alone(service, row, prompt, text)
        found = {name: _metric(columns) for name, columns in group["components"].items()}
        return {"score": number_of(group["total"][0], NAME), "reason": "total of the recipe", "metrics": found}

    return [Route(PATH, json_endpoint(NAME, metrics, reward), methods=["POST"])]


def _metric(columns: dict[str, Any]) -> dict[str, Any]:
    value, error, info = columns["value"][0], columns["error"][0], columns["info"][0]
    return {
        "score": 0.0 if value is None else value,
        "is_score_valid": value is not None,
        "reason": error or str(info.get("reason", "")),
    }


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes)
