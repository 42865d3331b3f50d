"""`rewardlab tables`: evaluated models in tables, with intervals."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from rewardlab import CommandResult, Config, Flag, Positional
from rewardlab.commands import Count

from rewardlab_measure.tables.job import TablesJob
from rewardlab_measure.tables.language_groups import parse_merges
from rewardlab_measure.tables.measures import parse_measure
from rewardlab_measure.tables.pages import format_tables
from rewardlab_measure.tables.prompts import PromptFields
from rewardlab_measure.tables.records import refuse_outputs, tables_as_dict, write_tables
from rewardlab_measure.tables.sources import parse_models

SUMMARY = "write tables of evaluated models, with intervals"


class Options(Config):
    """Write tables of evaluated models, as papers print them: averages over languages, then tasks, with intervals.

    MODEL is NAME=PATH: a run (its last evaluation; PATH@before, @during:40, @after, @eval or, of stage 2, @2-eval
    chooses one), the output of `score` (with --rows, the rows that were scored, which say task and language), or a
    file of printed averages with the columns task, language and one for each measure. All models must have answered
    the same prompts. docs/tables.md says how averages, intervals and p-values are made.
    """

    models: Annotated[list[str] | dict[str, str | Path], Positional("MODEL")]
    """NAME=PATH (a mapping, for programs); the others are compared with the first"""
    rows: Annotated[tuple[str | Path, ...], Flag(metavar="ROWS.jsonl")] = ()
    """rows that were scored; repeatable"""
    fields: Annotated[dict[str, str], Flag("--field", metavar="OURS=THEIRS")] = {}  # noqa: RUF012 (pydantic copies it)
    """a column of the rows, as the recipe's `dataset: fields:` names it, such as prompt=question; repeatable"""
    measures: Annotated[tuple[str, ...], Flag("--measure", metavar="NAME=COMPONENT")] = ()
    """columns to average, such as accuracy=correct or fidelity=language>=0.7; repeatable; none: all components"""
    pass_at: Annotated[tuple[Count, ...], Flag(metavar="K")] = ()
    """pass@K of the first measure, unbiased"""
    task: Annotated[str | None, Flag(metavar="FIELD")] = None
    """the field with a prompt's task (task, else eval_set)"""
    language: Annotated[str, Flag(metavar="FIELD")] = "language"
    """the field with its language"""
    cluster: Annotated[str | None, Flag(metavar="FIELD")] = None
    """prompts with one value count as one (problem, if there); none: each alone"""
    merges: Annotated[tuple[str, ...], Flag("--merge", metavar="[TASK/]zh=zh-cn+zh-tw")] = ()
    """languages as one; @FILE: groups"""
    against: Annotated[str | None, Flag(metavar="NAME")] = None
    """compare all others with this model; all: every pair (the first)"""
    prompts: Literal["same", "common", "own"] = "same"
    """what to do if a model lacks some; same: stop"""
    missing: Literal["refuse", "leave-out", "zero"] = "refuse"
    """completions without a score"""
    raw: bool = False
    """show numbers as they are, not as percent"""
    digits: Annotated[int, Field(ge=0, le=6)] = 1
    """decimal places"""
    draws: Count = 1000
    """bootstrap draws, for numbers that are not shares"""
    seed: int = 0
    """the bootstrap's seed"""
    output: Annotated[tuple[Path, ...], Flag("-o", metavar="OUT")] = ()
    """a new .txt, .csv, .md, .tex or .json; repeatable"""


def run(options: Options) -> CommandResult:
    """Return the tables; data: averages and comparisons, not scaled. A UserError if models fit in no one table."""
    refuse_outputs(options.output)
    models = options.models
    named = [f"{name}={path}" for name, path in models.items()] if isinstance(models, Mapping) else models
    result = TablesJob(
        models=parse_models(named),
        measures=[parse_measure(text) for text in options.measures],
        pass_at=options.pass_at,
        rows=list(map(str, options.rows)),
        columns=options.fields,
        fields=PromptFields(task=options.task, language=options.language, cluster=options.cluster),
        merges=parse_merges(options.merges),
        missing=options.missing,
        prompts=options.prompts,
        against=options.against,
        raw=options.raw,
        draws=options.draws,
        seed=options.seed,
    ).run()
    for path in options.output:
        write_tables(result, path, options.digits)
    data = {"ok": True} | tables_as_dict(result, options.digits)
    return CommandResult(text=format_tables(result, options.digits).rstrip("\n"), data=data)
