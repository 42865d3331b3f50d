"""Boxes and tags: whether a response has the form that was asked for."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from rewardlab import Config, Context, RewardSpec, hookimpl
from rewardlab.laws import Laws, RewardExample

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")


class BoxedOptions(Config):
    profile: Literal["default", "sp3f_official"] = "default"
    """default: a closed box that is not blank, in what follows the last `</think>`. sp3f_official: as SP3F's
    code reads boxes, in the whole text; an empty box earns the point there."""


def _tag_names(tags: tuple[str, ...]) -> tuple[str, ...]:
    for tag in tags:
        if not _NAME.match(tag):
            raise ValueError(f"{tag!r} is no tag name; use letters, digits, - and _")
    if len(set(tags)) < len(tags):
        raise ValueError("a tag is named twice")
    return tags


class TagsOptions(Config):
    tags: Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_tag_names)] = ("think", "answer")
    """names of the tags, in the order in which a response must have them, each once, with text inside"""


def _boxed(options: BoxedOptions, context: Context) -> Any:
    from rewardlab_format.boxed import Boxed

    return Boxed(options)


def _tags(options: TagsOptions, context: Context) -> Any:
    from rewardlab_format.tags import Tags

    return Tags(options.tags)


def _boxed_examples() -> list[RewardExample]:
    from rewardlab_format.examples import boxed

    return boxed()


def _tags_examples() -> list[RewardExample]:
    from rewardlab_format.examples import tags

    return tags()


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
    ]
