"""OpenRLHF's remote reward: `--reward.remote_url http://HOST:PORT/openrlhf`.

It sends {"query": [prompt and answer], "prompts": [...], "labels": [...]} and reads {"rewards", "scores",
"extra_logs"}. It tries five times, a second apart.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.routing import Route

from rewardlab_serve.bodies import Body, read_body
from rewardlab_serve.doors import Door, DoorOptions, scored_alone, values_of
from rewardlab_serve.errors import bad_body
from rewardlab_serve.json_answers import json_endpoint, number_of
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.reward_service import RewardService

NAME, PATH = "openrlhf", "/openrlhf"


class OpenrlhfBody(Body):
    """Prompts, each with the answer behind it, and the labels of their rows."""

    query: list[str] = Field(min_length=1)
    prompts: list[str]
    labels: list[Any] | None = None


def _routes(service: RewardService, metrics: Metrics, options: DoorOptions) -> Sequence[Route]:
    async def rewards(body: Any, _: Request) -> dict[str, Any]:
        sent = read_body(OpenrlhfBody, body)
        queries, prompts = sent.query, sent.prompts
        labels = [None] * len(queries) if sent.labels is None else sent.labels
        if not len(queries) == len(prompts) == len(labels):
            raise bad_body(f"{len(queries)} queries, {len(prompts)} prompts and {len(labels)} labels")
        answers = [options.without_end(_answer(*pair)) for pair in zip(queries, prompts, strict=True)]
        fields = [{} if label is None else {options.label: label} for label in labels]
        rows = zip(fields, prompts, answers, strict=True)
        scored = await service.in_turn(lambda row: scored_alone(service, *row), rows)
        totals = [number_of(scores["total"], NAME) for scores in scored]
        logs = {name: [values_of(scores)[name] for scores in scored] for name in service.plan.components}
        return {
            "rewards": totals,
            "scores": totals,
            "extra_logs": {name: values for name, values in logs.items() if None not in values},
        }

    return [Route(PATH, json_endpoint(NAME, metrics, rewards), methods=["POST"])]


def _answer(query: str, prompt: str) -> str:
    if not query.startswith(prompt):
        problem = (
            "a query is its prompt and the answer after it, and this one begins otherwise: the tokenizer changes the"
        )
        raise bad_body(f"{problem} prompt, or it was cut to fit; what is left of it would be taken for the answer")
    return query.removeprefix(prompt)


DOOR = Door(name=NAME, path=PATH, groups=False, routes=_routes, ends_answers=True)
