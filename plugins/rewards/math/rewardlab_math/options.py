"""The options of math/accuracy."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from rewardlab import Config, Sample


class AccuracyOptions(Config):
    """Options of math/accuracy."""

    extract: Literal["boxed", "tag", "last_number"] = "boxed"
    r"""Where the answer stands: the last \boxed{...}, the last <answer>...</answer> (or a box in it), or the last
    number of the response."""

    profile: Literal["default", "sp3f_official"] = "default"
    """sp3f_official reproduces the published SP3F code, its oddities included."""

    field: str = "answer"
    """The row's field with the right answer, or with a list of right answers."""

    gold_language: Annotated[str, Field(min_length=1)] | None = None
    """The language in whose notation right answers are written, a code or an English name: "en" for those of a data set
    whose prompts were translated. A row's field <field>_language (answer_language) comes first; without either it is
    the row's own language."""

    rounding: Literal["gold"] | None = None
    """gold: an answer is right, too, if it rounds to a right answer with decimals as that is shown, 1587/52 to 30.52.
    Without it decimals agree to six places."""

    unless: Annotated[str, Field(min_length=1)] | None = None
    """A row with this field gets no value: `choices`, if another component scores the rows that have some."""

    @model_validator(mode="after")
    def _official_reads_boxes(self) -> "AccuracyOptions":
        if self.profile == "sp3f_official" and self.extract != "boxed":
            raise ValueError("profile sp3f_official reads boxes only; leave extract at boxed")
        if self.profile == "sp3f_official" and self.rounding:
            raise ValueError("profile sp3f_official rounds as published; leave rounding out")
        return self


def is_left_out(options: AccuracyOptions, sample: Sample) -> bool:
    """Return whether a row is one that `unless` leaves to another component."""
    return options.unless is not None and sample.fields.get(options.unless) is not None
