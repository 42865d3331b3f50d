"""Reinforcement fine-tuning at AWS: a list of answers, [{"id", "messages", "metadata", "reference_answer"}].

It reads [{"id", "aggregate_reward_score", "metrics_list"}] in the same order.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.bodies import Body, read_body
from rewardlab_serve.doors import Door, DoorOptions, scored_alone, values_of
from rewardlab_serve.doors.messages import ChatMessage, split_conversation
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "aws", "/aws"
REFERENCE = "reference_answer"
"""stands in the metadata (Bedrock) or beside them (Nova)"""


class AwsAnswer(Body):
    """A conversation that ends in the answer, with the fields of its row and the reference."""

    messages: list[ChatMessage]
    metadata: dict[str, Any] | None = None
    reference_answer: Any = None


Answers = Annotated[list[AwsAnswer], Field(min_length=1)]


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def rewards(body: Any, _: Request) -> list[dict[str, Any]]:
        rows = [_row(answer, options.label) for answer in read_body(Answers, body)]
        scored = await service.in_turn(lambda row: scored_alone(service, *row), rows)
        return [_answer(answer, scores) for answer, scores in zip(body, scored, strict=True)]

    return [Route(PATH, json_endpoint(NAME, metrics, rewards), methods=["POST"])]


def _row(answer: AwsAnswer, label: str) -> tuple[Mapping[str, Any], list[dict[str, Any]], str]:
    prompt, text = split_conversation([message.plain() for message in answer.messages])
    fields = {**(answer.metadata or {})}
    of_metadata = fields.pop(REFERENCE, None)
    reference = of_metadata if answer.reference_answer is None else answer.reference_answer
    if isinstance(reference, Mapping):
        fields = {**fields, **reference}
    elif reference is not None:
        fields = {**fields, label: reference}
    return fields, prompt, text


def _answer(answer: Mapping[str, Any], scores: Mapping[str, Any]) -> dict[str, Any]:
    there = {name: value for name, value in values_of(scores).items() if value is not None}
    metrics = [{"name": name, "value": value, "type": "Metric"} for name, value in there.items()]
    return {
        "id": answer.get("id"),
        "aggregate_reward_score": number_of(scores["total"], NAME),
        "metrics_list": metrics,
    }


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes)
