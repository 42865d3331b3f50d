"""Orders of samples."""

from typing import Any

from rewardlab import Config, Context, CurriculumSpec, hookimpl


class ShuffleOptions(Config):
    pass


def _shuffle(options: ShuffleOptions, context: Context) -> Any:
    from rewardlab_curriculum.shuffle import Shuffle

    return Shuffle()


@hookimpl
def rewardlab_curricula():
    return [
        CurriculumSpec(
            name="shuffle",
            summary="a random order that depends on the seed and on each sample's id alone",
            config=ShuffleOptions,
            build=_shuffle,
        )
    ]
