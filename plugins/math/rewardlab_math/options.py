"""The options of math/accuracy."""

from typing import Literal

from pydantic import model_validator
from rewardlab import Config


class AccuracyOptions(Config):
    """Options of math/accuracy."""

    extract: Literal["boxed", "tag", "last_number"] = "boxed"
    r"""Where the answer stands: the last \boxed{...}, the last <answer>...</answer> (or a box in it), or the last
    number of the response."""

    profile: Literal["default", "sp3f_official"] = "default"
    """sp3f_official reproduces the published SP3F code, its oddities included."""

    field: str = "answer"
    """The row's field with the right answer, or with a list of right answers."""

    @model_validator(mode="after")
    def _official_reads_boxes(self) -> "AccuracyOptions":
        if self.profile == "sp3f_official" and self.extract != "boxed":
            raise ValueError("profile sp3f_official reads boxes only; leave extract at boxed")
        return self
