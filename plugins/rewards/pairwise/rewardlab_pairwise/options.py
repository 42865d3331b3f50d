"""The options of the reward and of the judge."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator
from rewardlab import Config

OFFICIAL = {"orders": "a_only", "on_unparsable": "loss"}
"""The options that `profile: sp3f_official` fixes, besides the reader of boxes."""
Orders = Literal["both", "balanced", "a_only"]
OnUnparsable = Literal["half", "loss", "drop"]
Opponents = Literal["all"] | Annotated[int, Field(ge=1, strict=True)]


class PairwiseOptions(Config):
    """Options of every reward that compares the answers of a group in pairs."""

    judge: str
    """The name of the judge to ask, as declared under `judges`."""
    orders: Orders = "both"
    """both: each pair is judged in both orders, averaged. balanced: each pair once, each answer first in half
    of its comparisons. a_only: both orders, but an answer is scored only if it stands first."""
    on_unparsable: OnUnparsable = "half"
    """The value of a reply without a verdict. half: as of a tie. loss: a loss of the answer that stands first. drop: it
    does not count; the other order decides, else the comparison is missing."""
    opponents: Opponents = "all"
    """Number of the group's other answers that an answer meets (one more if this and the group size are odd)."""


class WinRateOptions(PairwiseOptions):
    """Options of pairwise/win_rate."""

    privileged: Annotated[str, Field(min_length=1)] | None = None
    """The field with a correct solution that the judge may see and the policy may not; null shows no example."""
    profile: Literal["default", "sp3f_official"] = "default"
    """sp3f_official scores as SP3F's published code does: its reader of boxes, a_only and loss, also of ties."""
    template: str | None = None
    """A file with your own prompt; null takes the packaged one. See the plugin's README for its form."""

    @model_validator(mode="before")
    @classmethod
    def _fix_official(cls, options: Any) -> Any:
        if not isinstance(options, dict) or options.get("profile") != "sp3f_official":
            return options
        for name, value in OFFICIAL.items():
            if options.get(name, value) != value:
                raise ValueError(f"profile sp3f_official fixes {name} to {value}; leave {name} out")
        return {**options, **OFFICIAL}

    @field_validator("template")
    @classmethod
    def _check_template(cls, path: str | None, info: Any) -> str | None:
        if path is not None and "privileged" in info.data:
            from rewardlab_pairwise.prompts import load

            load(path, privileged=info.data["privileged"] is not None)
        return path


class OverlapJudgeOptions(Config):
    """Options of pairwise/overlap."""

    compare: Literal["text", "maths"] = "text"
    """text: the whole answer against the whole reference. maths: only the numbers, operators, LaTeX commands and boxes
    of both, so that a reference in another language does not pull answers into its language."""
