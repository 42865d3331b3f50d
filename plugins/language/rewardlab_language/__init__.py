"""Whether a response is in the language it should be in."""

from typing import Literal

from pydantic import Field, field_validator, model_validator
from rewardlab import Config, RewardSpec, Sample, hookimpl

from rewardlab_language.languages import UnknownLanguage, resolve
from rewardlab_language.parts import Part


class FidelityOptions(Config):
    """The share of letters that are in the row's language, or whether it reaches a threshold.

    Formulas, code, boxes, addresses, tags and digits do not count. A part without letters earns 0.
    """

    threshold: float | None = Field(default=0.7, gt=0.0, le=1.0)
    """1 for a share of at least this, 0 below it; null gives the share itself."""
    detector: Literal["lingua"] = "lingua"
    """Which detector tells the languages."""
    part: Part = "response"
    """response: what follows the last `</think>`, or the whole text where there is none; reasoning: the body
    of the think block, 0 where there is none; answer: the body of the last `<answer>` in the response, or the
    response; both: the lower one of response and reasoning."""
    languages: tuple[str, ...] | None = Field(default=None, min_length=1)
    """What the row's language is weighed against: these languages and no others; null: English and the
    language's fixed rivals."""
    profile: Literal["default", "sp3f_official"] = "default"
    """sp3f_official: as the published code of SP3F has it: words instead of letters, nothing taken out, the
    language against English alone, 0 for languages without a model."""

    @field_validator("languages")
    @classmethod
    def _known(cls, languages: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for tag in languages or ():
            resolve(tag)  # an UnknownLanguage is a ValueError, which says it all
        return languages

    @model_validator(mode="after")
    def _official_is_fixed(self) -> "FidelityOptions":
        if self.profile == "sp3f_official" and (self.part != "response" or self.languages is not None):
            raise ValueError("profile sp3f_official fixes `part` and `languages`; leave them out")
        return self


def _abstains(options: FidelityOptions, sample: Sample) -> str | None:
    if options.profile == "sp3f_official":
        return None
    try:
        resolve(sample.fields.get("language"))
    except UnknownLanguage as error:
        return str(error)
    return None


def _build(options: FidelityOptions, context):
    from rewardlab_language.fidelity import Fidelity

    return Fidelity(options)


@hookimpl
def rewardlab_rewards():
    return [
        RewardSpec(
            name="fidelity",
            summary="whether a response is in the row's language",
            config=FidelityOptions,
            range=(0.0, 1.0),
            requires=["language"],
            abstains=_abstains,
            runs="worker",
            timeout=60.0,
            build=_build,
        )
    ]
