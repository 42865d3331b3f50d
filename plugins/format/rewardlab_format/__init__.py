"""Boxes, tags, structure and length: whether a response has the form that was asked for."""

from typing import Any

from rewardlab import Context, RewardSpec, hookimpl
from rewardlab.laws import Laws, RewardExample

from rewardlab_format.options import BoxedOptions, OverlongOptions, TagsOptions, ValidityOptions


def _boxed(options: BoxedOptions, context: Context) -> Any:
    from rewardlab_format.boxed import Boxed

    return Boxed(options)


def _tags(options: TagsOptions, context: Context) -> Any:
    from rewardlab_format.tags import Tags

    return Tags(options.tags)


def _validity(options: ValidityOptions, context: Context) -> Any:
    from rewardlab_format.validity import Validity

    return Validity(options)


def _task_field(options: ValidityOptions) -> list[str]:
    return [] if options.structure is None else [options.task]


def _overlong(options: OverlongOptions, context: Context) -> Any:
    from rewardlab_format.overlong import Overlong

    return Overlong(options)


def _boxed_examples() -> list[RewardExample]:
    from rewardlab_format.examples import boxed

    return boxed()


def _tags_examples() -> list[RewardExample]:
    from rewardlab_format.examples import tags

    return tags()


def _validity_examples() -> list[RewardExample]:
    from rewardlab_format.examples import validity

    return validity()


def _overlong_examples() -> list[RewardExample]:
    from rewardlab_format.examples import overlong

    return overlong()


PENALTY = dict.fromkeys(("empty", "prompt_copy"), "a penalty, which has nothing to punish in a short text")


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="boxed",
            summary="1 for a final answer in a box, \\boxed{...}",
            config=BoxedOptions,
            runs="inline",
            build=_boxed,
            laws=Laws(examples=_boxed_examples),
        ),
        RewardSpec(
            name="tags",
            summary="1 for a response that is exactly <think>...</think><answer>...</answer>",
            config=TagsOptions,
            runs="inline",
            build=_tags,
            laws=Laws(examples=_tags_examples),
        ),
        RewardSpec(
            name="validity",
            summary="0, or a deduction for a missing trace, wrong tags, or an answer without its task's structure",
            config=ValidityOptions,
            range=(-1.0, 0.0),
            requires=_task_field,
            runs="inline",
            build=_validity,
            laws=Laws(examples=_validity_examples),
        ),
        RewardSpec(
            name="overlong",
            summary="0, falling to -1 over the last tokens that a completion may have (DAPO)",
            config=OverlongOptions,
            range=(-1.0, 0.0),
            runs="inline",
            build=_overlong,
            remarks=("estimated",),
            laws=Laws(examples=_overlong_examples, off=PENALTY),
        ),
    ]
