"""eval-protocol's reward endpoint: POST /reward with {"messages", "ground_truth", ...fields}.

It reads {"score", "reason", "metrics"}, and refuses an answer with a metric beyond [0, 1] or without a number: such
components are left out.
"""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.bodies import Body, read_body
from rewardlab_serve.doors import Door, DoorOptions, scored_alone
from rewardlab_serve.doors.messages import ChatMessage, split_conversation
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "eval_protocol", "/reward"
THEIRS = ("messages", "ground_truth")


class EvaluationBody(Body):
    """A conversation that ends in the answer; its row's fields stand beside it."""

    messages: list[ChatMessage]


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def reward(body: Any, _: Request) -> dict[str, Any]:
        prompt, text = split_conversation([message.plain() for message in read_body(EvaluationBody, body).messages])
        row = {name: value for name, value in body.items() if name not in THEIRS}
        if body.get("ground_truth") is not None:
            row[options.label] = body["ground_truth"]
        scores = await scored_alone(service, row, prompt, text)
        reported = {name: _metric(score) for name, score in scores["components"].items() if _is_metric(score["value"])}
        return {"score": number_of(scores["total"], NAME), "reason": "total of the recipe", "metrics": reported}

    return [Route(PATH, json_endpoint(NAME, metrics, reward), methods=["POST"])]


def _is_metric(value: float | None) -> bool:
    return value is not None and 0 <= value <= 1


def _metric(score: dict[str, Any]) -> dict[str, Any]:
    return {"score": score["value"], "is_score_valid": True, "reason": str(score["info"].get("reason", ""))}


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes)
