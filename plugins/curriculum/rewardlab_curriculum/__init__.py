"""Orders of samples, and samplers of groups."""

from typing import Any

from rewardlab import Context, CurriculumSpec, hookimpl
from rewardlab.laws import CurriculumExample, Laws

from rewardlab_curriculum.options import BalancedOptions, DifficultyOptions, FileOrderOptions, ShuffleOptions


def _shuffle(options: ShuffleOptions, context: Context) -> Any:
    from rewardlab_curriculum.shuffle import Shuffle

    return Shuffle()


def _file_order(options: FileOrderOptions, context: Context) -> Any:
    from rewardlab_curriculum.file_order import FileOrder

    return FileOrder()


def _difficulty(options: DifficultyOptions, context: Context) -> Any:
    from rewardlab_curriculum.difficulty import Difficulty

    return Difficulty(options)


def _balanced(options: BalancedOptions, context: Context) -> Any:
    from rewardlab_curriculum.balanced import Balanced

    return Balanced(options)


def _cap(options: BalancedOptions, size: int) -> int:
    return options.cap


def _shuffle_examples() -> list[CurriculumExample]:
    from rewardlab_curriculum.examples import examples_of_shuffle

    return examples_of_shuffle()


def _difficulty_examples() -> list[CurriculumExample]:
    from rewardlab_curriculum.examples import examples_of_difficulty

    return examples_of_difficulty()


def _balanced_examples() -> list[CurriculumExample]:
    from rewardlab_curriculum.examples import examples_of_balanced

    return examples_of_balanced()


@hookimpl
def rewardlab_curricula() -> list[CurriculumSpec]:
    return [
        CurriculumSpec(
            name="shuffle",
            summary="a random order that depends on the seed and on each sample's id alone",
            config=ShuffleOptions,
            build=_shuffle,
            laws=Laws(examples=_shuffle_examples),
        ),
        CurriculumSpec(
            name="file_order",
            summary="the order of the dataset, the same in each pass",
            config=FileOrderOptions,
            build=_file_order,
            laws=Laws(examples=_shuffle_examples),
        ),
        CurriculumSpec(
            name="difficulty",
            summary="from easy to hard or from hard to easy, with the rows of one language first",
            config=DifficultyOptions,
            build=_difficulty,
            laws=Laws(examples=_difficulty_examples),
        ),
        CurriculumSpec(
            name="balanced",
            summary="collects completions until right and wrong ones are there, and makes a group of both",
            config=BalancedOptions,
            most=_cap,
            build=_balanced,
            laws=Laws(examples=_balanced_examples),
        ),
    ]
