"""The options of constraints/following."""

from typing import Annotated, Literal

from pydantic import Field
from rewardlab import Config


class FollowingOptions(Config):
    """Options of constraints/following."""

    value: Literal["mean", "all"] = "mean"
    """What a completion earns. mean: the share of the row's instructions that it follows. all: 1 if it follows every
    one, else 0."""

    mode: Literal["strict", "loose"] = "strict"
    """strict: the response as it stands. loose: an instruction counts as followed if the response follows it with or
    without its first line, its last line and its asterisks, as IFEval defines it."""

    part: Literal["response", "answer"] = "response"
    """The text that is judged. response: what follows the last `</think>`, or the whole text. answer: the body of the
    last `<answer>` in it, or the response if it has none."""

    instructions: Annotated[str, Field(min_length=1)] = "instruction_id_list"
    """The row's field with the names of its instructions, such as `length_constraints:number_words`."""

    arguments: Annotated[str, Field(min_length=1)] = "kwargs"
    """The row's field with a mapping of arguments for each instruction; keys that are null are left out."""

    language: Annotated[str, Field(min_length=1)] = "language"
    """The row's field with the language that the response is asked for in, by code or name; a row without it is
    English."""
