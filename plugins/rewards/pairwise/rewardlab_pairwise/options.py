"""The options of the reward and of the judge."""

from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, field_validator, model_validator
from rewardlab import Config

OFFICIAL = {"orders": "a_only", "on_unparsable": "loss"}
"""The options that `profile: sp3f_official` fixes, besides the reader of boxes."""
Design = Literal["round_robin", "swiss", "knockout", "anchor", "adaptive"]
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
    design: Design = "round_robin"
    """Who meets whom. round_robin: all, or its `opponents`. swiss: in each round those who won as much so far.
    knockout: those who have not lost. anchor: all meet a few of them. adaptive: in each round, in an order that the
    design chooses, those whose verdict would teach most. All but round_robin ask nothing before the last answer."""
    rounds: Annotated[int, Field(ge=2)] | None = None
    """Rounds of swiss and adaptive; null: log2 of the group size, rounded up, and for adaptive twice that. In each,
    every answer is in one pair, which under adaptive is one question, but one of an odd number, so there are two."""
    anchors: PositiveInt | None = None
    """Answers that all others meet under anchor, by a hash of the texts; null: 2."""
    scores: Literal["wins", "bradley_terry"] | None = None
    """wins: the share of its comparisons that an answer wins. bradley_terry: the share of the others that it would beat
    by the strengths, and the position bias, that fit all verdicts best. null: wins for round_robin, else
    bradley_terry."""

    @property
    def fits_strengths(self) -> bool:
        """Whether values come from a fit of all verdicts of a group."""
        return self.scores == "bradley_terry" or (self.scores is None and self.design != "round_robin")

    @model_validator(mode="after")
    def _check_design(self) -> "PairwiseOptions":
        if self.design != "round_robin" and self.opponents != "all":
            raise ValueError(f"opponents is an option of design round_robin; {self.design} chooses them itself")
        if self.rounds is not None and self.design not in ("swiss", "adaptive"):
            raise ValueError(
                f"rounds is an option of the designs swiss and adaptive, not of {self.design}; leave it out"
            )
        if self.anchors is not None and self.design != "anchor":
            raise ValueError(f"anchors is an option of design anchor, not of {self.design}; leave it out")
        if self.orders == "a_only" and (self.design != "round_robin" or self.fits_strengths):
            raise ValueError("orders a_only goes with design round_robin and scores wins alone; take both or balanced")
        if self.orders == "balanced" and self.design == "adaptive":
            raise ValueError("design adaptive chooses the order of each question itself; leave orders out, or say both")
        return self


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
