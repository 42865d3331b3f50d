"""Whether a response is in the language it should be in, and training data in many languages."""

from rewardlab import DatasetSpec, RewardSpec, Sample, hookimpl
from rewardlab.laws import Laws

from rewardlab_language.detector_languages import BY_SCRIPT, accepted, knowing
from rewardlab_language.languages import UnknownLanguage, resolve
from rewardlab_language.options import (
    ConsistencyOptions,
    FidelityOptions,
    FilterOptions,
    TranslatedFieldsOptions,
    TranslatedOptions,
)


def _abstains(options: FidelityOptions, sample: Sample) -> str | None:
    if options.profile == "sp3f_official":
        return None
    try:
        resolve(sample.fields.get("language"))
    except UnknownLanguage as error:
        return str(error)
    return None


def _language_field(options: ConsistencyOptions) -> list[str]:
    return ["language"] if options.language == "field" else []


def _unknown_to_all(options: ConsistencyOptions, sample: Sample) -> str | None:
    if options.language == "prompt":
        return None
    tag = sample.fields.get("language")
    try:
        labels = accepted(tag)
    except UnknownLanguage as error:
        return str(error)
    known = set(knowing(labels)) & set(options.detectors) or labels & BY_SCRIPT.keys()
    return None if known else f"none of the detectors {', '.join(options.detectors)} knows {tag!r}"


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
            build="rewardlab_language.fidelity:Fidelity",
            laws=Laws(
                examples="rewardlab_language.examples:fidelity",
                off={
                    "prompt_copy": "a copy of the prompt is in the prompt's language; `probe` judges the total",
                    "repetition": "the detector is surer of words that come again; `probe` judges the total",
                },
            ),
        ),
        RewardSpec(
            name="consistency",
            summary="whether trace and answer are in the row's language, by fastText, langid and lingua",
            config=ConsistencyOptions,
            range=(0.0, 1.0),
            requires=_language_field,
            abstains=_unknown_to_all,
            runs="worker",
            timeout=60.0,
            counted_info=("short",),
            build="rewardlab_language.consistency:Consistency",
            laws=Laws(
                examples="rewardlab_language.examples:consistency",
                off={
                    "prompt_copy": "a copy of the prompt is in the prompt's language; `probe` judges the total",
                    "repetition": "a short text without a label is long enough if repeated; `probe` judges the total",
                },
            ),
        ),
    ]


def _fields(options: TranslatedOptions) -> list[str]:
    about = ["problem", "language", "split", "share", "altered"]
    if options.kind == "question":
        return about
    solved = [*_required(options), "answer_language", *about]
    return [*solved, "response"] if options.kind == "sft" else solved


def _required(options: TranslatedOptions) -> list[str]:
    return [] if options.kind == "question" else ["reference", "answer"]


def _fields_read(options: TranslatedFieldsOptions) -> list[str]:
    choices = [] if options.choices is None else [options.choices]
    return ["language", *(name for name in options.read if name != "prompt"), *choices]


def _filter_reads(options: FilterOptions) -> list[str]:
    return ["language", *(name for name in options.fields if name != "prompt")]


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
            calls="rewardlab_language.translated:calls",
            question="rewardlab_language.translated:first_question",
            makes="rewardlab_language.translated:makes",
            build="rewardlab_language.translated:TranslatedRows",
            laws=Laws(examples="rewardlab_language.translated_examples:examples_of_translated"),
        ),
        DatasetSpec(
            name="translated_fields",
            summary="rows of which some texts are translated into their language, or from it (a data step)",
            config=TranslatedFieldsOptions,
            step=True,
            requires=_fields_read,
            judges=("translator",),
            calls="rewardlab_language.translated_fields:calls",
            question="rewardlab_language.translated_fields:first_question",
            build="rewardlab_language.translated_fields:TranslatedFields",
            laws=Laws(examples="rewardlab_language.translated_examples:examples_of_translated_fields"),
        ),
        DatasetSpec(
            name="filter",
            summary="rows whose texts are in the row's language, by several detectors (a data step)",
            config=FilterOptions,
            step=True,
            requires=_filter_reads,
            build="rewardlab_language.filter:LanguageFilter",
            laws=Laws(examples="rewardlab_language.examples:language_filter"),
        ),
    ]
