"""Rewards of `check_backend` by which some groups do not teach: an outcome, and what differs inside of every group."""

import struct
from collections.abc import Callable
from typing import Any

from rewardlab import Config, RewardSpec, Score

NAME, BESIDE = "outcome", "place"
THIRD = struct.unpack("f", struct.pack("f", 1 / 3))[0]
"""in single precision"""
KINDS = ("all wrong", "different", "equal but for rounding", "different")
"""of a group's outcome: which, follows from its sample's id"""


class Options(Config):
    """Options of the rewards: there are none."""


class ByPlace:
    """A value for each place of a group."""

    def __init__(self, value: Callable[[str, int], float]) -> None:
        self._value = value

    async def score(self, stream: Any) -> list[Score]:
        """Return the scores of a group, by the places of its completions."""
        group = await stream.group()
        kind = kind_of(group.sample.id)
        return [Score(value=self._value(kind, place)) for place in range(len(group.completions))]


def kind_of(sample: str) -> str:
    """Return the kind of a group's outcome."""
    return KINDS[sum(map(ord, sample)) % len(KINDS)]


def _outcome(kind: str, place: int) -> float:
    return {"all wrong": 0.0, "different": float(place == 0)}.get(kind, THIRD if place % 2 else 1 / 3)


def specs() -> list[RewardSpec]:
    """Return the specs of both rewards."""
    return [_spec(NAME, _outcome), _spec(BESIDE, lambda kind, place: 1 / (place + 1))]


def _spec(name: str, value: Callable[[str, int], float]) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary="makes groups that do not teach, for check_backend",
        config=Options,
        scope="group",
        runs="async",
        range=(0.0, 1.0),
        build=lambda options, context: ByPlace(value),
    )
