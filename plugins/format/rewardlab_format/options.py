"""The options of the rewards."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from rewardlab import Config

_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")


class BoxedOptions(Config):
    """Options of format/boxed."""

    profile: Literal["default", "sp3f_official"] = "default"
    """default: a closed box that is not blank, after the last `</think>`. sp3f_official: a box anywhere, as SP3F's
    published code reads it; an empty box earns the point there."""


def _tag_names(tags: tuple[str, ...]) -> tuple[str, ...]:
    for tag in tags:
        if not _TAG_NAME.match(tag):
            raise ValueError(f"{tag!r} is not a tag name; use letters, digits, - and _")
    if len(set(tags)) < len(tags):
        raise ValueError("a tag is named twice")
    return tags


class TagsOptions(Config):
    """Options of format/tags."""

    tags: Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_tag_names)] = ("think", "answer")
    """names of the tags, in the order in which a response must have them, each once, with text inside"""
