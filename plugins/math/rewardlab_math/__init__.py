"""math/accuracy: answers against gold ones."""

from typing import Any, Literal

from pydantic import model_validator
from rewardlab import Config, Context, RewardSpec, hookimpl
from rewardlab.laws import Laws, RewardExample


class Options(Config):
    """Options of math/accuracy."""

    extract: Literal["boxed", "tag", "last_number"] = "boxed"
    r"""Where the answer stands: the last \boxed{...}, the last <answer>...</answer> (or a box in it), or the
    last
    number of the response."""

    profile: Literal["default", "sp3f_official"] = "default"
    """sp3f_official reproduces the published SP3F code, its oddities included."""

    field: str = "answer"
    """The field of the row that holds the right answer, or a list of right answers."""

    @model_validator(mode="after")
    def _official_reads_boxes(self) -> "Options":
        if self.profile == "sp3f_official" and self.extract != "boxed":
            raise ValueError("profile sp3f_official reads boxes only; leave extract at boxed")
        return self


def _build(options: Options, context: Context) -> Any:
    if options.profile == "sp3f_official":
        from rewardlab_math.official import OfficialAccuracy

        return OfficialAccuracy(options)
    from rewardlab_math.accuracy import Accuracy

    return Accuracy(options)


def _accuracy_examples() -> list[RewardExample]:
    from rewardlab_math.examples import accuracy

    return accuracy()


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="accuracy",
            summary="1 for the right final answer: numbers of many locales, formulas, choices, words",
            config=Options,
            range=(0.0, 1.0),
            requires=lambda options: [options.field],
            runs="worker",
            timeout=10.0,
            on_timeout=0.0,
            build=_build,
            laws=Laws(examples=_accuracy_examples),
        )
    ]
