"""What another process is asked of a reward: its scores, as it gave them. Imports no hypothesis, and is soon there."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from rewardlab.grouping import GroupStream
from rewardlab.lanes import what_failed
from rewardlab.types import Completion, Group, Sample

Json = Any


def scores(reward: Any, payload: Mapping[str, Json]) -> list[Json]:
    """Of each call {"scores": [[value, info, error], ...]}, or {"raised": why}."""
    sample = Sample(**payload["sample"])
    calls = [[Completion(**told) for told in call] for call in payload["calls"]]
    with asyncio.Runner() as runner:
        return [_scored(runner, reward, sample, call, payload["group"]) for call in calls]


def _scored(
    runner: asyncio.Runner, reward: Any, sample: Sample, completions: Sequence[Completion], group: bool
) -> Json:
    async def awaited(scores: Any) -> Any:
        return await scores

    try:
        asked: Any = [(sample, completion) for completion in completions]
        if group:
            asked = GroupStream.of(Group(sample=sample, completions=tuple(completions)))
        given = reward.score(asked)
        if inspect.isawaitable(given):
            given = runner.run(awaited(given))
        return {"scores": [[_number(score.value), dict(score.info), score.error] for score in given]}
    except (Exception, SystemExit) as error:
        return {"raised": what_failed(error)}


def _number(value: Any) -> Any:
    """numpy's numbers are reals that JSON does not know."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool | int) else value
