"""Orders of samples, and samplers of groups."""

from rewardlab import CurriculumSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_curriculum.options import BalancedOptions, DifficultyOptions, FileOrderOptions, ShuffleOptions


def _cap(options: BalancedOptions, _size: int) -> int:
    return options.cap


@hookimpl
def rewardlab_curricula() -> list[CurriculumSpec]:
    return [
        CurriculumSpec(
            name="shuffle",
            summary="a random order that depends on the seed and on each sample's id alone",
            config=ShuffleOptions,
            build="rewardlab_curriculum.shuffle:Shuffle",
            laws=Laws(examples="rewardlab_curriculum.examples:examples_of_shuffle"),
        ),
        CurriculumSpec(
            name="file_order",
            summary="the order of the dataset, the same in each pass",
            config=FileOrderOptions,
            build="rewardlab_curriculum.file_order:FileOrder",
            laws=Laws(examples="rewardlab_curriculum.examples:examples_of_shuffle"),
        ),
        CurriculumSpec(
            name="difficulty",
            summary="from easy to hard or from hard to easy, with the rows of one language first",
            config=DifficultyOptions,
            build="rewardlab_curriculum.difficulty:Difficulty",
            laws=Laws(examples="rewardlab_curriculum.examples:examples_of_difficulty"),
        ),
        CurriculumSpec(
            name="balanced",
            summary="collects completions until right and wrong ones are there, and makes a group of both",
            config=BalancedOptions,
            most=_cap,
            build="rewardlab_curriculum.balanced:Balanced",
            laws=Laws(examples="rewardlab_curriculum.examples:examples_of_balanced"),
        ),
    ]
