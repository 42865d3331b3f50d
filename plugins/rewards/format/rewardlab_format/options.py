"""The options of the rewards."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PositiveFloat, PositiveInt, model_validator
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


class ValidityOptions(Config):
    """Options of format/validity."""

    tags: Annotated[tuple[str, ...], Field(min_length=2), AfterValidator(_tag_names)] = ("think", "answer")
    """names of the tags, in the order in which a response must have them: the first holds the trace, the last the
    answer"""
    penalty: Annotated[float, Field(gt=0, le=1)] = 1.0
    """the deduction for a response in which something is wrong; with `per_violation` the most that is deducted"""
    per_violation: Annotated[float, Field(gt=0, le=1)] | None = None
    """deduct this much for each violation (null: the penalty, whether it is one or several)"""
    structure: Annotated[str, Field(min_length=1)] | None = "amro"
    """required structure of the answer to each task: `amro`, for the tasks of "Verifying the Subjective" (a row's own
    labels, and no more), a YAML file of your own (relative to where the command runs), or null to require only the
    tags"""
    task: Annotated[str, Field(min_length=1)] = "task"
    """the field with the row's task, by which its structure is found"""
    subtask: Annotated[str, Field(min_length=1)] = "subtask"
    """the field with its subtask, which a row may lack"""

    @model_validator(mode="after")
    def _check_structure(self) -> Self:
        from rewardlab_format.structure_file import read_structures

        if self.structure is not None:
            read_structures(self.structure)
        if self.per_violation is not None and self.per_violation > self.penalty:
            raise ValueError(f"per_violation is more than penalty, {self.penalty}, the most that is deducted")
        return self


class OverlongOptions(Config):
    """Options of format/overlong."""

    max_tokens: PositiveInt
    """tokens from which on the penalty is -1; as a rule the stage's max_new_tokens"""
    buffer: PositiveInt
    """the number of last tokens over which it falls from 0 to -1 (DAPO: 4,096 of 20,480)"""
    characters_per_token: PositiveFloat | None = None
    """for completions without a token count: their characters divided by this (absent: no value for these)"""

    @model_validator(mode="after")
    def _buffer_fits(self) -> Self:
        if self.buffer > self.max_tokens:
            raise ValueError(f"buffer is more than max_tokens, {self.max_tokens}")
        return self
