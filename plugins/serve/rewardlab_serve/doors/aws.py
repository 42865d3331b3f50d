"""Reinforcement fine-tuning at AWS: a list of answers, [{"id", "messages", "metadata", "reference_answer"}].

It reads [{"id", "aggregate_reward_score", "metrics_list"}] in the same order.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.doors import Door, DoorOptions, scored_alone, values_of
from rewardlab_serve.doors.messages import entry, split_conversation
from rewardlab_serve.errors import bad_request
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "aws", "/aws"
REFERENCE = "reference_answer"
"""stands in the metadata (Bedrock) or beside them (Nova)"""


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def rewards(body: Any, _: Request) -> list[dict[str, Any]]:
        if not isinstance(body, list) or not body:
            raise bad_request(f"the door {NAME!r} reads a list of answers")
        rows = [_row(one, options.label) for one in body]
        scored = await service.in_turn(lambda row: scored_alone(service, *row), rows)
        return [_answer(one, scores) for one, scores in zip(body, scored, strict=True)]

    return [Route(PATH, json_endpoint(NAME, metrics, rewards), methods=["POST"])]


def _row(one: Any, label: str) -> tuple[Mapping[str, Any], list[dict[str, str]], str]:
    prompt, text = split_conversation(entry(one, "messages", list, NAME))
    fields = one.get("metadata") or {}
    if not isinstance(fields, Mapping):
        raise bad_request("metadata is an object of fields")
    fields = {**fields, REFERENCE: one.get(REFERENCE) or fields.get(REFERENCE)}
    reference = fields.pop(REFERENCE)
    if isinstance(reference, Mapping):
        fields = {**fields, **reference}
    elif reference is not None:
        fields = {**fields, label: reference}
    return fields, prompt, text


def _answer(one: Mapping[str, Any], scores: Mapping[str, Any]) -> dict[str, Any]:
    there = {name: value for name, value in values_of(scores).items() if value is not None}
    metrics = [{"name": name, "value": value, "type": "Metric"} for name, value in there.items()]
    return {
        "id": one.get("id"),
        "aggregate_reward_score": number_of(scores["total"], NAME),
        "metrics_list": metrics,
    }


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes)
