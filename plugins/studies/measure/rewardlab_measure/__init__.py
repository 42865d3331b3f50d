"""Measurements of models, judges and rewards, each behind a command.

In go plans, rows with completions and what runs and `score` wrote. Out come results that the commands print or write.

    tables           evaluated models in tables, with intervals: `rewardlab tables`
    win_rates        models compared by a judge, answer by answer: `rewardlab winrates`
    judge_agreement  judges measured on rows with gold: `rewardlab judge`
    judge_licence    judges measured before a run may ask them: `rewardlab judge --licence`
    judge_biases     what judges give for length, flattery, their own name ...: `rewardlab judge --biases`
    judge_benchmarks judges measured on published benchmarks: `rewardlab judge --benchmark`
    compare          two rewards on the same completions: `rewardlab compare`
    rule_errors      how often rules are wrong, by the appeals from them: `rewardlab appeals`
    causes           which components moved the reward: `rewardlab causes`, `rewardlab check`, and the end of `score`
    correlation      Pearson's correlation, and ranks
"""

from rewardlab import DatasetSpec, hookimpl
from rewardlab.laws import Laws


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    from rewardlab_measure.judge_benchmarks.question_rows import BenchmarkQuestionsOptions

    return [
        DatasetSpec(
            name="benchmark_questions",
            summary="the question of a judge benchmark in each of its languages, to be translated",
            config=BenchmarkQuestionsOptions,
            remote=lambda options: options.path is None,
            provides=("language", "rubric"),
            build="rewardlab_measure.judge_benchmarks.question_rows:BenchmarkQuestions",
            laws=Laws(
                examples="rewardlab_measure.judge_benchmarks.question_examples:benchmark_questions",
                off={"streaming": "which languages there are shows when all rows have been read"},
            ),
        ),
    ]
