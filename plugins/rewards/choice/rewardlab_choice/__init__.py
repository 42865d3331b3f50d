"""A reward for the right choice of a multiple-choice question: choice/accuracy."""

from rewardlab import RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_choice.options import ChoiceOptions


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="accuracy",
            summary="1 for the right choice of a multiple-choice question, by its label or its text",
            config=ChoiceOptions,
            range=(0.0, 1.0),
            abstains="rewardlab_choice.accuracy:why_without_choices",
            refuses="rewardlab_choice.accuracy:refusal",
            cautions="rewardlab_choice.accuracy:without_leads",
            runs="inline",
            counted_info=("no_answer", "unreadable", "hedged"),
            build="rewardlab_choice.accuracy:ChoiceAccuracy",
            laws=Laws(examples="rewardlab_choice.examples:accuracy"),
        )
    ]
