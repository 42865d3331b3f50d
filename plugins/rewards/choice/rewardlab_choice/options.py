"""The options of choice/accuracy."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from rewardlab import Config


class ChoiceOptions(Config):
    """Options of choice/accuracy."""

    extract: Literal["boxed", "tag", "last_label", "answer_line"] = "boxed"
    r"""Where to look for the choice. boxed: the last \boxed{...}. tag: the last <answer>...</answer>, or a box in it.
    last_label: the last statement of the response, such as (B), **B** or "the answer is B", or its last box.
    answer_line: the last line `ANSWER: B`, as inspect_ai reads it."""

    profile: Literal["default", "sp3f_official"] = "default"
    """sp3f_official reads as SP3F's published evaluation does: right is what begins with the label."""

    field: Annotated[str, Field(min_length=1)] = "answer"
    """The row's field with the right choice: its label, or its text."""

    choices: Annotated[str, Field(min_length=1)] = "choices"
    """The row's field with the choices: label -> text, or a list, whose labels are then A, B, C ..."""

    @model_validator(mode="after")
    def _official_reads_boxes(self) -> "ChoiceOptions":
        if self.profile == "sp3f_official" and self.extract != "boxed":
            raise ValueError("profile sp3f_official reads boxes only; leave extract at boxed")
        return self
