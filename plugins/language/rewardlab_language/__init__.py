"""Whether a response is in the language it should be in, and training data in many languages."""

from typing import Any

from rewardlab import Ask, Context, DatasetSpec, RewardSpec, Sample, hookimpl
from rewardlab.laws import DatasetExample, Laws, RewardExample

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


def _build(options: FidelityOptions, context: Context) -> Any:
    from rewardlab_language.fidelity import Fidelity

    return Fidelity(options)


def _fidelity_examples() -> list[RewardExample]:
    from rewardlab_language.examples import fidelity

    return fidelity()


def _consistency(options: ConsistencyOptions, context: Context) -> Any:
    from rewardlab_language.consistency import Consistency

    return Consistency(options)


def _consistency_examples() -> list[RewardExample]:
    from rewardlab_language.examples import consistency

    return consistency()


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
            build=_build,
            laws=Laws(
                examples=_fidelity_examples,
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
            remarks=("short",),
            build=_consistency,
            laws=Laws(
                examples=_consistency_examples,
                off={
                    "prompt_copy": "a copy of the prompt is in the prompt's language; `probe` judges the total",
                    "repetition": "what is too short to tell is long enough if repeated; `probe` judges the total",
                },
            ),
        ),
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
    from rewardlab_language.translated import makes

    return makes(options, rows)


def _question(options: TranslatedOptions) -> Ask:
    from rewardlab_language.translated import first_question

    return first_question(options)


def _fields(options: TranslatedOptions) -> list[str]:
    about = ["problem", "language", "split", "share", "altered"]
    if options.kind == "question":
        return about
    solved = [*_required(options), "answer_language", *about]
    return [*solved, "response"] if options.kind == "sft" else solved


def _required(options: TranslatedOptions) -> list[str]:
    return [] if options.kind == "question" else ["reference", "answer"]


def _translated_fields(options: TranslatedFieldsOptions, context: Context) -> Any:
    from rewardlab_language.translated_fields import TranslatedFields

    return TranslatedFields(options, context)


def _fields_examples() -> list[DatasetExample]:
    from rewardlab_language.translated_examples import examples_of_translated_fields

    return examples_of_translated_fields()


def _fields_read(options: TranslatedFieldsOptions) -> list[str]:
    choices = [] if options.choices is None else [options.choices]
    return ["language", *(name for name in options.read if name != "prompt"), *choices]


def _fields_calls(options: TranslatedFieldsOptions, rows: int) -> int:
    from rewardlab_language.translated_fields import calls

    return calls(options, rows)


def _fields_question(options: TranslatedFieldsOptions) -> Ask:
    from rewardlab_language.translated_fields import first_question

    return first_question(options)


def _filter(options: FilterOptions, context: Context) -> Any:
    from rewardlab_language.filter import LanguageFilter

    return LanguageFilter(options, context)


def _filter_examples() -> list[DatasetExample]:
    from rewardlab_language.examples import language_filter

    return language_filter()


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
            calls=_calls,
            question=_question,
            makes=_makes,
            build=_translated,
            laws=Laws(examples=_translated_examples),
        ),
        DatasetSpec(
            name="translated_fields",
            summary="rows of which some texts are translated into their language, or from it (a data step)",
            config=TranslatedFieldsOptions,
            step=True,
            requires=_fields_read,
            judges=("translator",),
            calls=_fields_calls,
            question=_fields_question,
            build=_translated_fields,
            laws=Laws(examples=_fields_examples),
        ),
        DatasetSpec(
            name="filter",
            summary="rows whose texts are in the row's language, by several detectors (a data step)",
            config=FilterOptions,
            step=True,
            requires=_filter_reads,
            build=_filter,
            laws=Laws(examples=_filter_examples),
        ),
    ]
