"""The scores of a reward in another process, as it gave them. Without hypothesis, so that the process starts fast."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from rewardlab import Completion, Group, GroupStream, Sample
from rewardlab.scoring import describe_failure

Json = Any


def scores(reward: Any, payload: Mapping[str, Json]) -> list[Json]:
    """Return {"scores": [[value, info, error], ...]} for each call, or {"raised": why}.

    Args:
        payload: {"sample", "calls": completions by call, "group": whether the reward has group scope}.
    """
    sample = Sample(**payload["sample"])
    calls = [[Completion(**fields) for fields in call] for call in payload["calls"]]
    with asyncio.Runner() as runner:
        return [_call(runner, reward, sample, call, payload["group"]) for call in calls]


def _call(runner: asyncio.Runner, reward: Any, sample: Sample, completions: Sequence[Completion], group: bool) -> Json:
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
        return {"raised": describe_failure(error)}


def _number(value: Any) -> Any:
    """Return a number that JSON knows: numpy's numbers are reals that it does not know."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool | int) else value
