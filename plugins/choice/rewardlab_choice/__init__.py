"""A reward for the right choice of a multiple-choice question: choice/accuracy."""

from typing import Any

from rewardlab import Context, RewardSpec, Sample, hookimpl
from rewardlab.laws import Laws, RewardExample

from rewardlab_choice.options import AccuracyOptions


def _build(options: AccuracyOptions, context: Context) -> Any:
    from rewardlab_choice.accuracy import ChoiceAccuracy

    return ChoiceAccuracy(options)


def _abstains(options: AccuracyOptions, sample: Sample) -> str | None:
    from rewardlab_choice.accuracy import why_without_choices

    return why_without_choices(options, sample)


def _examples() -> list[RewardExample]:
    from rewardlab_choice.examples import accuracy

    return accuracy()


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="accuracy",
            summary="1 for the right choice of a multiple-choice question, by its label or its text",
            config=AccuracyOptions,
            range=(0.0, 1.0),
            abstains=_abstains,
            runs="inline",
            remarks=("no_answer", "unreadable", "hedged"),
            build=_build,
            laws=Laws(examples=_examples),
        )
    ]
