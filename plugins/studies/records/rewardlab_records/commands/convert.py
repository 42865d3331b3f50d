"""`rewardlab convert`: rollouts of another tool as rows to score."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from rewardlab import CommandResult, Config, Flag, Positional
from rewardlab.commands import RolloutName
from rewardlab.data import BadRows, to_group
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.files import write_text
from rewardlab.scorefile import output_path_problem
from rewardlab.text import counted

from rewardlab_records.rollouts import inspect_log, lm_eval_samples
from rewardlab_records.rollouts.columns import fields_of_name
from rewardlab_records.rollouts.formats import PlacedRow, RolloutFormat, rollout_format

SUMMARY = "convert rollouts of other tools to rows"


class Options(Config):
    """Convert rollouts of other tools to rows, for `score` and `tables`.

    It reads the rollouts that docs/rollouts.md lists; so do `score`, `compare`, `probe` and `judge`. A row has the
    prompt, the model's texts as completions, the right answer, and what else is known of the prompt. Often only the
    file's name has the task and the language: --name 'samples_{task}_direct_{language}_{}.jsonl' makes fields of them.
    """

    samples: Annotated[tuple[str | Path, ...], Positional("LOG")]
    """rollouts, such as samples_TASK.jsonl or LOG.eval"""
    output: Annotated[Path, Flag("-o", metavar="ROWS.jsonl")]
    """a new file"""
    format: RolloutName = None
    """the format of the files (detected)"""
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
    if problem := output_path_problem(options.output, new=True):
        raise UserError([problem])
    bad, taken = BadRows(), set[str]()
    write_text(options.output, _lines(options, bad, taken))
    files = counted(len(options.samples), "file")
    data = {"ok": True, "output": str(options.output), "rows": len(taken), "left_out": bad.count}
    warnings = [str(bad.error(str(options.samples[0]), "left out, as --skip-bad says"))] if bad.count else []
    return CommandResult(
        text=f"{counted(len(taken), 'row')} of {files}: {options.output}", data=data, warnings=warnings
    )


def _lines(options: Options, bad: BadRows, taken: set[str]) -> Iterator[str]:
    """Yield the line of each row that `score` reads. Raises UserError at the end for the others, which `bad` has."""
    first = str(options.samples[0])
    for path in map(str, options.samples):
        named = fields_of_name(path, options.name)
        for place, row in _rows(path, options):
            checked = row if isinstance(row, Problem) else _checked(_changed(row, named, options), place, taken)
            if isinstance(checked, Problem):
                bad.add(checked)
                continue
            taken.add(checked["id"])
            yield json.dumps(checked, ensure_ascii=False) + "\n"
    if bad.count and not options.skip_bad:
        raise bad.error(first, "fix them, or leave them out with --skip-bad")
    if not taken:
        raise UserError("no samples", where=first)


def _rows(path: str, options: Options) -> Iterator[PlacedRow]:
    format = rollout_format(path, options.format) or _by_ending(path)
    if format is lm_eval_samples.FORMAT:
        read: Literal["filtered_resps", "resps"] = "filtered_resps" if options.filtered else "resps"
        return lm_eval_samples.lm_eval_rows(path, options.gold, read, options.filter)
    if options.filtered or options.filter:
        tool = "inspect_ai logs" if format is inspect_log.FORMAT else "these rollouts have"
        raise UserError(f"{tool} no filters; leave out --filter and --filtered", where=path)
    if format is inspect_log.FORMAT:
        return inspect_log.inspect_rows(path, options.gold)
    return format.rows(path) if options.gold is None else _with_answers(format.rows(path), options.gold)


def _by_ending(path: str) -> RolloutFormat:
    """Return the format whose reader says what is wrong with a file that none recognizes."""
    return inspect_log.FORMAT if path.endswith((".eval", ".json")) else lm_eval_samples.FORMAT


def _with_answers(rows: Iterator[PlacedRow], gold: str) -> Iterator[PlacedRow]:
    for place, row in rows:
        if isinstance(row, Problem) or row.get(gold) is not None:
            yield place, row if isinstance(row, Problem) else row | {"answer": row[gold]}
        else:
            yield place, Problem(where=place, what=f"no column {gold!r}{nearest(gold, row)}")


def _changed(row: dict[str, Any], named: dict[str, str], options: Options) -> dict[str, Any]:
    """Return a row with what the file's name and the options say of it."""
    renamed = {"id": f"{'/'.join(named.values())}/{row.get('problem', row['id'])}"} if named else {}
    return {**row, **named, **options.fields, **renamed}


def _checked(row: dict[str, Any], place: str, taken: set[str]) -> dict[str, Any] | Problem:
    """Return the row, or why `score` would not read it."""
    if row["id"] in taken:
        problem = f"the id {row['id']!r} is there already; use --name if the files are one task in several languages"
        return Problem(where=place, what=problem)
    try:
        to_group(row, {})
    except ValueError as error:
        return Problem(where=place, what=str(error))
    return row
