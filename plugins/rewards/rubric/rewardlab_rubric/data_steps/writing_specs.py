"""The data steps that make rubrics, wrong answers and summaries, as a host sees them."""

from rewardlab import DatasetSpec
from rewardlab.laws import Laws

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
            question="rewardlab_rubric.data_steps.negatives:first_question",
            build="rewardlab_rubric.data_steps.negatives:NegativeRows",
            laws=Laws(examples="rewardlab_rubric.data_steps.writing_examples:negatives"),
        ),
        DatasetSpec(
            name="summarised",
            summary="responses to train on, with thoughts shortened if they are too long (a data step)",
            config=SummarisedOptions,
            provides=("tokens", "full_trace"),
            step=True,
            requires=lambda options: [options.response],
            judges=("judge",),
            calls=lambda options, rows: rows * options.attempts,
            question="rewardlab_rubric.data_steps.summarised:first_question",
            build="rewardlab_rubric.data_steps.summarised:SummarisedRows",
            laws=Laws(examples="rewardlab_rubric.data_steps.writing_examples:summarised"),
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
            question="rewardlab_rubric.data_steps.written_rubrics:first_question",
            build="rewardlab_rubric.data_steps.written_rubrics:RowsWithRubrics",
            laws=Laws(examples="rewardlab_rubric.data_steps.writing_examples:rubrics"),
        ),
    ]


def _negatives_need(options: NegativesOptions) -> list[str]:
    named = [options.answer]
    if options.options is not None and not options.corruption and options.judge is None:
        named.append(options.options)
    return named
