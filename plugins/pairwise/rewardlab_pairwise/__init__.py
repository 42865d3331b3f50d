"""Win rates from pairwise comparisons, and a judge by overlap."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator
from rewardlab import Config, Context, JudgeSpec, RewardSpec, hookimpl
from rewardlab.laws import JudgeExample, Laws, RewardExample

OFFICIAL = {"orders": "a_only", "on_unparsable": "loss"}
"""What `profile: sp3f_official` fixes, besides its reader of boxes."""


class WinRateOptions(Config):
    judge: str
    """The name of the judge to ask, as declared under `judges`."""
    privileged: Annotated[str, Field(min_length=1)] | None = None
    """The field with a correct solution that the judge may see and the policy may not; null shows none."""
    orders: Literal["both", "balanced", "a_only"] = "both"
    """both: each pair is judged in both orders, averaged. balanced: each pair once, each answer first in half
    of its comparisons. a_only: both orders, but an answer is scored only where it stands first."""
    on_unparsable: Literal["half", "loss", "drop"] = "half"
    """A reply without a verdict is a half, a loss of the answer that stands first, or dropped: the other
    order decides, else the comparison is missing."""
    opponents: Literal["all"] | Annotated[int, Field(ge=1, strict=True)] = "all"
    """How many others of the group an answer meets (one more where this and the group size are odd)."""
    profile: Literal["default", "sp3f_official"] = "default"
    """sp3f_official scores as SP3F's published code does: its reader of boxes, a_only and loss."""
    template: str | None = None
    """A file with your own prompt; null takes the packaged one. See the plugin's README for its form."""

    @model_validator(mode="before")
    @classmethod
    def _official(cls, options: Any) -> Any:
        if not isinstance(options, dict) or options.get("profile") != "sp3f_official":
            return options
        for name, value in OFFICIAL.items():
            if options.get(name, value) != value:
                raise ValueError(f"profile sp3f_official fixes {name} to {value}; leave {name} out")
        return {**options, **OFFICIAL}

    @field_validator("template")
    @classmethod
    def _readable(cls, path: str | None, info: Any) -> str | None:
        if path is not None and "privileged" in info.data:
            from rewardlab_pairwise.prompts import load

            load(path, privileged=info.data["privileged"] is not None)
        return path


class OverlapOptions(Config):
    compare: Literal["text", "maths"] = "text"
    """text: the whole answer against the whole reference. maths: only numbers, operators, LaTeX commands and
    boxes of both, so that a reference in another language does not pull answers into its language."""


def _win_rate(options: WinRateOptions, context: Context) -> Any:
    from rewardlab_pairwise.win_rate import WinRate

    return WinRate(options, context.judges[options.judge])


def _calls(options: WinRateOptions, size: int) -> int:
    from rewardlab_pairwise.schedule import schedule

    return len(schedule("", [str(index) for index in range(size)], options.orders, options.opponents).asks)


def _overlap(options: OverlapOptions, context: Context) -> Any:
    from rewardlab_pairwise.overlap import Overlap

    return Overlap(options)


def _overlap_examples() -> list[JudgeExample]:
    from rewardlab_pairwise.overlap_examples import examples_of_overlap

    return examples_of_overlap()


def _win_rate_examples() -> list[RewardExample]:
    from rewardlab_pairwise.examples import win_rate

    return win_rate()


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="win_rate",
            summary="share of the group's other answers that a judge finds worse (SP3F, equations 3 and 4)",
            config=WinRateOptions,
            scope="group",
            range=(0.0, 1.0),
            requires=lambda options: [options.privileged] if options.privileged else [],
            judges=("judge",),
            calls=_calls,
            runs="async",
            build=_win_rate,
            laws=Laws(examples=_win_rate_examples, pairwise=True),
        )
    ]


@hookimpl
def rewardlab_judges() -> list[JudgeSpec]:
    return [
        JudgeSpec(
            name="overlap",
            summary="prefers the answer nearer to the reference by chrF; no network, no model",
            config=OverlapOptions,
            reads="parts",
            local=True,
            build=_overlap,
            laws=Laws(examples=_overlap_examples),
        )
    ]
