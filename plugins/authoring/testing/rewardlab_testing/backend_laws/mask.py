"""A reward of `check_backend` that fails on the second completion of every group, and differs between the others."""

from typing import Any

from rewardlab import Config, RewardSpec, Score

NAME = "mask"
FLAT = 3
"""about one group in so many has equal values: which, follows from its sample's id"""


class Options(Config):
    """Options of the reward: there are none."""


class Mask:
    """1, a failure, and 0 from then on; in some groups the same for all that do not fail."""

    async def score(self, stream: Any) -> list[Score]:
        """Return the scores of a group, by the places of its completions."""
        group = await stream.group()
        flat = sum(map(ord, group.sample.id)) % FLAT == 0
        return [
            Score(error="check_backend leaves it without a value") if place == 1 else Score(value=_value(place, flat))
            for place in range(len(group.completions))
        ]


def _value(place: int, flat: bool) -> float:
    return 0.5 if flat else float(place == 0)


def spec() -> RewardSpec:
    """Return the reward's spec."""
    return RewardSpec(
        name=NAME,
        summary="fails on one completion of each group, for check_backend",
        config=Options,
        scope="group",
        runs="async",
        range=(0.0, 1.0),
        build=lambda options, context: Mask(),
    )
