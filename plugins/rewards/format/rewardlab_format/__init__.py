"""Boxes, tags, structure and length: whether a response has the form that was asked for."""

from rewardlab import RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_format.options import BoxedOptions, OverlongOptions, TagsOptions, ValidityOptions


def _task_field(options: ValidityOptions) -> list[str]:
    return [] if options.structure is None else [options.task]


PENALTY = dict.fromkeys(("empty", "prompt_copy"), "a penalty, which has nothing to punish in a short text")


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="boxed",
            summary="1 for a final answer in a box, \\boxed{...}",
            config=BoxedOptions,
            runs="inline",
            build="rewardlab_format.boxed:Boxed",
            laws=Laws(examples="rewardlab_format.examples:boxed"),
        ),
        RewardSpec(
            name="tags",
            summary="1 for a response that is exactly <think>...</think><answer>...</answer>",
            config=TagsOptions,
            runs="inline",
            build="rewardlab_format.tags:Tags",
            laws=Laws(examples="rewardlab_format.examples:tags"),
        ),
        RewardSpec(
            name="validity",
            summary="0, or a deduction for a missing trace, wrong tags, or an answer without its task's structure",
            config=ValidityOptions,
            range=(-1.0, 0.0),
            range_of=lambda options: (-options.penalty, 0.0),
            requires=_task_field,
            runs="inline",
            build="rewardlab_format.validity:Validity",
            laws=Laws(examples="rewardlab_format.examples:validity"),
        ),
        RewardSpec(
            name="overlong",
            summary="0, falling to -1 over the last tokens that a completion may have (DAPO)",
            config=OverlongOptions,
            range=(-1.0, 0.0),
            runs="inline",
            build="rewardlab_format.overlong:Overlong",
            counted_info=("estimated",),
            laws=Laws(examples="rewardlab_format.examples:overlong", off=PENALTY),
        ),
    ]
