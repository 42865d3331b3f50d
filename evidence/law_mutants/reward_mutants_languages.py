"""rubric/binary in the row's language, and rubric/translated_texts, each with one thing changed."""

from dataclasses import replace

from rewardlab import Config, DatasetSpec, RewardSpec, hookimpl
from rewardlab.laws import Laws


class Options(Config):
    judge: str = "key"


class StepOptions(Config):
    translator: str = "translator"


def _binary(options, context):
    from rewardlab_rubric.options import BinaryOptions
    from rewardlab_rubric.pointwise import RubricScore

    return RubricScore(BinaryOptions(judge="key", strategy="tgt-eng"), context)


def _english_in_silence(options, context):
    reward = _binary(options, context)
    right = reward._questions._rubrics
    reward._questions._rubrics = lambda row: right(replace(row, fields={"language": "en", **row.fields}))
    return reward


def _texts(options, context):
    from rewardlab_rubric.data_steps.translated_texts import TranslatedTexts
    from rewardlab_rubric.options import TranslatedTextsOptions

    return TranslatedTexts(TranslatedTextsOptions(translator="translator"), context)


def _every_row(options, context):
    right = _texts(options, context)

    class EveryRow:
        def __iter__(self):
            return (row for row in right for _ in range(2))

    return EveryRow()


def _named_by_number(options, context):
    right = _texts(options, context)

    class NamedByNumber:
        def __iter__(self):
            return (replace(row, id=f"texts-{number}") for number, row in enumerate(right))

    return NamedByNumber()


def _rewards():
    from rewardlab_rubric.examples import binary

    return [replace(example, options={}) for example in binary() if example.title == "tgt-eng"]


def _rows():
    from rewardlab_rubric.data_steps.translated_texts_examples import translated_texts

    return [replace(example, options={}) for example in translated_texts() if example.title == "texts"]


def _judged(name, summary, build):
    return RewardSpec(
        name=name,
        summary=summary,
        config=Options,
        requires=("language",),
        judges=("judge",),
        runs="async",
        build=build,
        laws=Laws(examples=_rewards),
    )


def _step(name, summary, build):
    return DatasetSpec(
        name=name,
        summary=summary,
        config=StepOptions,
        step=True,
        requires=("language",),
        judges=("translator",),
        build=build,
        laws=Laws(examples=_rows),
    )


@hookimpl
def rewardlab_rewards():
    return [
        _judged("correct_rubric_language", "rubric/binary in the row's language", _binary),
        _judged("rubric_english_in_silence", "asks in English about a row without a language", _english_in_silence),
    ]


@hookimpl
def rewardlab_datasets():
    return [
        _step("correct_translated_texts", "rubric/translated_texts as it is", _texts),
        _step("texts_twice", "rubric/translated_texts with two rows a language", _every_row),
        _step("texts_by_number", "rubric/translated_texts whose ids depend on the rows before", _named_by_number),
    ]
