"""`rewardlab tables` from Python."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from rewardlab.analysis.tables.job import TablesJob
from rewardlab.analysis.tables.language_groups import parse_merges
from rewardlab.analysis.tables.measures import parse_measure
from rewardlab.analysis.tables.pages import format_tables
from rewardlab.analysis.tables.prompts import PromptFields
from rewardlab.analysis.tables.records import refuse_outputs, tables_as_dict, write_tables
from rewardlab.analysis.tables.sources import parse_models
from rewardlab.api.result import CommandResult


def tables(
    models: Mapping[str, str | Path] | Sequence[str],
    *,
    rows: Sequence[str | Path] = (),
    measures: Sequence[str] = (),
    pass_at: Sequence[int] = (),
    task: str | None = None,
    language: str = "language",
    cluster: str | None = None,
    merges: Sequence[str] = (),
    against: str | None = None,
    prompts: Literal["same", "common", "own"] = "same",
    missing: Literal["refuse", "leave-out", "zero"] = "refuse",
    raw: bool = False,
    digits: int = 1,
    draws: int = 1000,
    seed: int = 0,
    output: Sequence[str | Path] = (),
) -> CommandResult:
    """Return tables of evaluated models: averages over languages, then tasks, with intervals and comparisons.

    models: {name: path} or "NAME=PATH", each a run (PATH@after chooses an evaluation), the output of `score`, or a file
    of printed averages. rows: files of the rows that were scored, which say task and language. cluster: the field whose
    values name what counts as one (`problem`, where rows have it); "none" for each prompt by itself. measures, merges
    and the rest are the options of the command, in its words. output: new files, whose endings name the format. data:
    averages and comparisons, not scaled. Raises a UserError for models that cannot stand in one table.
    """
    outputs = [Path(path) for path in output]
    refuse_outputs(outputs)
    named = [f"{name}={path}" for name, path in models.items()] if isinstance(models, Mapping) else models
    result = TablesJob(
        models=parse_models(named),
        measures=[parse_measure(text) for text in measures],
        pass_at=pass_at,
        rows=[str(path) for path in rows],
        fields=PromptFields(task=task, language=language, cluster=cluster),
        merges=parse_merges(merges),
        missing=missing,
        prompts=prompts,
        against=against,
        raw=raw,
        draws=draws,
        seed=seed,
    ).run()
    for path in outputs:
        write_tables(result, path, digits)
    return CommandResult(
        ok=True, text=format_tables(result, digits).rstrip("\n"), data={"ok": True} | tables_as_dict(result, digits)
    )
