"""The data steps that make rubrics, wrong answers and summaries, as a host sees them."""

from typing import Any

from rewardlab import Ask, Context, DatasetSpec
from rewardlab.laws import DatasetExample, Laws

from rewardlab_rubric.data_steps.writing_options import NegativesOptions, RubricsOptions, SummarisedOptions


def writing_specs() -> list[DatasetSpec]:
    """Return the specs."""
    return [
        DatasetSpec(
            name="negatives",
            summary="wrong answers beside right ones, to be judged true or false (a data step)",
            config=NegativesOptions,
            provides=("response", "score", "made_by"),
            step=True,
            requires=_negatives_need,
            judges=("judge",),
            calls=lambda options, rows: 0 if options.judge is None else rows * options.attempts * 2,
            makes=lambda options, rows: rows * (2 if options.write == "both" else 1),
            question=_negatives_question,
            build=_negatives,
            laws=Laws(examples=lambda: _examples("negatives")),
        ),
        DatasetSpec(
            name="summarised",
            summary="responses to train on whose thoughts, where they are too long, are shortened (a data step)",
            config=SummarisedOptions,
            provides=("tokens", "full_trace"),
            step=True,
            requires=lambda options: [options.response],
            judges=("judge",),
            calls=lambda options, rows: rows * options.attempts,
            question=_summarised_question,
            build=_summarised,
            laws=Laws(examples=lambda: _examples("summarised")),
        ),
        DatasetSpec(
            name="rubrics",
            summary="rows with rubrics that a model writes for their tasks (a data step)",
            config=RubricsOptions,
            provides=lambda options: [options.write],
            step=True,
            requires=lambda options: [] if options.task is None else [options.task],
            judges=("writer",),
            calls=lambda options, rows: rows * options.variants * options.attempts,
            question=_rubrics_question,
            build=_rubrics,
            laws=Laws(examples=lambda: _examples("rubrics")),
        ),
    ]


def _negatives(options: NegativesOptions, context: Context) -> Any:
    from rewardlab_rubric.data_steps.negatives import NegativeRows

    return NegativeRows(options, context)


def _negatives_need(options: NegativesOptions) -> list[str]:
    named = [options.answer]
    if options.options is not None and options.corruption is None and options.judge is None:
        named.append(options.options)
    return named


def _negatives_question(options: NegativesOptions) -> Ask:
    from rewardlab_rubric.data_steps.negatives import first_question

    return first_question(options)


def _summarised(options: SummarisedOptions, context: Context) -> Any:
    from rewardlab_rubric.data_steps.summarised import SummarisedRows

    return SummarisedRows(options, context)


def _summarised_question(options: SummarisedOptions) -> Ask:
    from rewardlab_rubric.data_steps.summarised import first_question

    return first_question(options)


def _rubrics(options: RubricsOptions, context: Context) -> Any:
    from rewardlab_rubric.data_steps.written_rubrics import RowsWithRubrics

    return RowsWithRubrics(options, context)


def _rubrics_question(options: RubricsOptions) -> Ask:
    from rewardlab_rubric.data_steps.written_rubrics import first_question

    return first_question(options)


def _examples(name: str) -> list[DatasetExample]:
    from rewardlab_rubric.data_steps import writing_examples

    made: list[DatasetExample] = getattr(writing_examples, name)()
    return made
