"""Whether a response is in the language it should be in, and training data in many languages."""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator, model_validator
from rewardlab import Config, Context, DatasetSpec, RewardSpec, Sample, hookimpl
from rewardlab.laws import DatasetExample, Laws, RewardExample
from rewardlab.quoting import template_of

from rewardlab_language.languages import UnknownLanguage, resolve
from rewardlab_language.parts import Part

TrainingLanguage = Literal[
    "ar", "bn", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "pt", "ru", "sw", "te", "th", "yo", "zh"
]
UnseenLanguage = Literal["af", "gu", "he", "nl", "pa", "tl", "tr", "vi"]
Language = Literal[TrainingLanguage, UnseenLanguage, "fa", "pl", "sv", "uk"]
"""The languages that wording.toml has a wording for: SP3F's 18, the 8 that it only tests on, and others."""
TRAINING_LANGUAGES: tuple[Language, ...] = get_args(TrainingLanguage)


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


class TranslatedOptions(Config):
    """Training rows in many languages from English problems, with or without solutions, by a translator."""

    translator: Annotated[str, Field(min_length=1)]
    """The name of the judge that translates, as declared under `judges`."""
    kind: Literal["sft", "rl", "question"] = "sft"
    """sft: each row has the translated solution as its `response`. rl: only the problem is translated. question:
    the source has no solutions; a row is the translated question and the English one."""
    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = TRAINING_LANGUAGES
    """The languages of the rows, all with about the same share; English rows are not translated."""
    languages_per_row: Literal[1, "all"] = 1
    """1: each problem is put into one language, by a hash of the seed and its row's id. all: into every one."""
    candidates: Annotated[int, Field(ge=1, le=64, strict=True)] = 4
    """Translations of a text to ask for; the one with most of its letters in the language is kept."""
    least_share: Annotated[float, Field(ge=0, le=1)] = 0.5
    """A row without a candidate of at least this share is dropped."""
    test: Annotated[float, Field(ge=0, le=1)] = 0.02
    """Share of the problems whose rows have the split "test", by a hash of the English problem."""
    max_dropped: Annotated[float, Field(ge=0, le=1)] = 0.2
    """Once there are 50 rows, more dropped ones than this share of them stop the job."""
    template: Annotated[str | None, template_of("rewardlab_language.translation_prompt")] = None
    """A file with your own prompt for the translator; null takes the packaged one. See the README for its form."""

    @field_validator("languages")
    @classmethod
    def _distinct(cls, languages: tuple[Language, ...]) -> tuple[Language, ...]:
        if len(set(languages)) < len(languages):
            raise ValueError("a language is named twice")
        return languages


def _abstains(options: FidelityOptions, sample: Sample) -> str | None:
    if options.profile == "sp3f_official":
        return None
    try:
        resolve(sample.fields.get("language"))
    except UnknownLanguage as error:
        return str(error)
    return None


def _build(options: FidelityOptions, context: Context) -> Any:
    from rewardlab_language.fidelity import Fidelity

    return Fidelity(options)


def _fidelity_examples() -> list[RewardExample]:
    from rewardlab_language.examples import fidelity

    return fidelity()


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
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
            laws=Laws(
                examples=_fidelity_examples,
                off={
                    "prompt_copy": "a copy of the prompt is in the prompt's language; `probe` judges the total",
                    "repetition": "the detector is surer of words that come again; `probe` judges the total",
                },
            ),
        )
    ]


def _translated(options: TranslatedOptions, context: Context) -> Any:
    from rewardlab_language.translated import TranslatedRows

    return TranslatedRows(options, context)


def _translated_examples() -> list[DatasetExample]:
    from rewardlab_language.translated_examples import examples_of_translated

    return examples_of_translated()


def _calls(options: TranslatedOptions, rows: int) -> int:
    from rewardlab_language.translated import calls

    return calls(options, rows)


def _makes(options: TranslatedOptions, rows: int) -> int:
    return rows * len(options.languages) if options.languages_per_row == "all" else rows


def _fields(options: TranslatedOptions) -> list[str]:
    about = ["problem", "language", "split", "share"]
    solved = [*_required(options), "response"] if options.kind == "sft" else _required(options)
    return [*solved, *about]


def _required(options: TranslatedOptions) -> list[str]:
    return [] if options.kind == "question" else ["reference", "answer"]


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    return [
        DatasetSpec(
            name="translated",
            summary="English problems, with solutions or without, translated into many languages (a data step)",
            config=TranslatedOptions,
            provides=_fields,
            step=True,
            requires=_required,
            judges=("translator",),
            calls=_calls,
            makes=_makes,
            build=_translated,
            laws=Laws(examples=_translated_examples),
        )
    ]
