"""`rewardlab convert`: samples of another evaluation tool as rows to score."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from rewardlab import CommandResult, Config, Flag, Positional
from rewardlab.data import BadRows, to_group
from rewardlab.errors import Problem, UserError
from rewardlab.files import write_text
from rewardlab.scorefile import output_path_problem

from rewardlab_studies.convert.inspect_log import SUFFIXES, inspect_rows
from rewardlab_studies.convert.lm_eval_samples import lm_eval_rows
from rewardlab_studies.convert.log_form import LogForm


class Options(Config):
    """Convert logs of lm-evaluation-harness (`--log_samples`) or inspect_ai to rows, for `score` and `tables`.

    A row has the prompt, the model's texts as completions, the right answer, and the document's columns or the sample's
    metadata. Its task and language often stand in the file's name alone: --name
    'samples_{task}_direct_{language}_{}.jsonl' makes fields of them.
    """

    samples: Annotated[tuple[str | Path, ...], Positional("LOG")]
    """of lm_eval --log_samples (.jsonl) or inspect_ai (.eval, .json)"""
    output: Annotated[Path, Flag("-o", metavar="ROWS.jsonl")]
    """a new file"""
    gold: Annotated[str | None, Flag(metavar="COLUMN")] = None
    """the column with the right answer (the task's target)"""
    name: Annotated[str | None, Flag(metavar="PATTERN")] = None
    """the form of the files' names; the values of {places} become fields"""
    fields: Annotated[dict[str, str], Flag("--set", metavar="FIELD=TEXT")] = {}  # noqa: RUF012 (pydantic copies it)
    """a field of every row; repeatable"""
    filtered: bool = False
    """lm_eval: the filtered text is the completion"""
    filter: Annotated[str | None, Flag(metavar="NAME")] = None
    """lm_eval: the filter whose lines count (the first in each file)"""
    skip_bad: bool = False
    """leave bad samples out; the first 20 are listed"""


def run(options: Options) -> CommandResult:
    """Write the rows; data: how many, and the file.

    Raises UserError that lists what is wrong before anything is written.
    """
    if taken_names := {"id", "prompt", "completions"} & options.fields.keys():
        raise UserError("a field is NAME=TEXT, and not id, prompt or completions", where=f"--set {min(taken_names)}")
    form = LogForm(
        gold=options.gold,
        name=options.name,
        fields=options.fields,
        read="filtered_resps" if options.filtered else "resps",
        filter=options.filter,
    )
    if problem := output_path_problem(options.output):
        raise UserError([problem])
    if options.output.exists():
        raise UserError("exists already; give -o another name", where=str(options.output))
    bad, taken = BadRows(), set[str]()
    write_text(options.output, _lines(options, form, bad, taken))
    files = f"{len(options.samples)} file{'s' if len(options.samples) > 1 else ''}"
    data = {"ok": True, "output": str(options.output), "rows": len(taken), "left_out": bad.count}
    warnings = [str(bad.error(str(options.samples[0]), "left out, as --skip-bad says"))] if bad.count else []
    return CommandResult(text=f"{len(taken):,} rows of {files}: {options.output}", data=data, warnings=warnings)


def _lines(options: Options, form: LogForm, bad: BadRows, taken: set[str]) -> Iterator[str]:
    """Yield the line of each row that `score` reads. Raises UserError at the end for the others, which `bad` has."""
    first = str(options.samples[0])
    for path in map(str, options.samples):
        for row in (inspect_rows if path.endswith(SUFFIXES) else lm_eval_rows)(path, form):
            checked = row if isinstance(row, Problem) else _checked(row, path, taken)
            if isinstance(checked, Problem):
                bad.add(checked)
                continue
            taken.add(checked["id"])
            yield json.dumps(checked, ensure_ascii=False) + "\n"
    if bad.count and not options.skip_bad:
        raise bad.error(first, "mend them, or leave them out with --skip-bad")
    if not taken:
        raise UserError("no samples", where=first)


def _checked(row: dict[str, Any], path: str, taken: set[str]) -> dict[str, Any] | Problem:
    """Return the row, or why `score` would not read it."""
    if row["id"] in taken:
        what = f"the id {row['id']!r} is there already; use --name if the files are one task in several languages"
        return Problem(where=path, what=what)
    try:
        to_group(row, {})
    except ValueError as error:
        return Problem(where=f"{path}: {row['id']}", what=str(error))
    return row
