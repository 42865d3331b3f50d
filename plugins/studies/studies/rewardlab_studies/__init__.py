"""Studies of rewards and runs, each behind a command; they come in by hooks.

In go plans, rows with completions and what runs and `score` wrote. Out come results that the commands print or write.

    causes           which components moved the reward: `rewardlab causes`, `rewardlab check`
    compare          two rewards on the same completions: `rewardlab compare`
    export           scores as tables, datasets and scores of inspect_ai: `rewardlab export`
    judge_agreement  judges measured on rows with gold: `rewardlab judge`
    judge_benchmarks judges measured on published benchmarks: `rewardlab judge --benchmark`
    ledger           every completion of a run as a row of a table: `rewardlab ledger`
    scored_lines     the lines of a file that `score` wrote
    probe            degenerate completions beside an honest one: `rewardlab probe`
    rollouts         what other trainers and evaluations wrote, as rows: `rewardlab convert`
    tracking         a running stage, told to TensorBoard, Weights & Biases, MLflow and trackio
"""

from contextlib import AbstractContextManager
from typing import Any

from rewardlab import CommandSpec, DatasetSpec, hookimpl
from rewardlab.laws import Laws

COMMANDS = {
    "causes": "show which components moved the reward",
    "compare": "compare what two rewards would teach",
    "tables": "write tables of evaluated models, with intervals",
    "winrates": "let a judge compare models, answer by answer",
    "convert": "convert rollouts of other tools to rows",
    "export": "write scores for other tools",
    "probe": "test whether degenerate completions win",
    "judge": "measure judges against gold labels",
    "ledger": "write every completion of a run as a table",
}


@hookimpl
def rewardlab_commands() -> list[CommandSpec]:
    return [CommandSpec.of_module(f"{__name__}.commands.{name}", summary) for name, summary in COMMANDS.items()]


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    from rewardlab_studies.judge_benchmarks.question_rows import BenchmarkQuestionsOptions

    return [
        DatasetSpec(
            name="benchmark_questions",
            summary="the question of a judge benchmark in each of its languages, to be translated",
            config=BenchmarkQuestionsOptions,
            remote=lambda options: options.path is None,
            provides=("language", "rubric"),
            build="rewardlab_studies.judge_benchmarks.question_rows:BenchmarkQuestions",
            laws=Laws(
                examples="rewardlab_studies.judge_benchmarks.question_examples:benchmark_questions",
                off={"streaming": "which languages there are shows when all rows have been read"},
            ),
        ),
    ]


@hookimpl
def rewardlab_track(job: Any) -> AbstractContextManager[None]:
    from rewardlab_studies.tracking.following import tracked_stage

    return tracked_stage(job)
