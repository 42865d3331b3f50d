"""`rewardlab convert` from Python."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.api.result import CommandResult
from rewardlab.data import BadRows, to_group
from rewardlab.data.inspect_log import SUFFIXES, inspect_rows
from rewardlab.data.lm_eval_samples import lm_eval_rows
from rewardlab.data.log_form import LogForm
from rewardlab.errors import Problem, UserError
from rewardlab.files import write_text
from rewardlab.scorefile import output_path_problem


def convert(
    samples: Sequence[str | Path],
    output: str | Path,
    *,
    gold: str | None = None,
    name: str | None = None,
    fields: Mapping[str, str] | None = None,
    filtered: bool = False,
    filter: str | None = None,
    skip_bad: bool = False,
) -> CommandResult:
    """Write what lm-evaluation-harness or inspect_ai logged as rows to score; return how many, and from which files.

    samples: files of `lm_eval --log_samples`, or logs of inspect_ai (.eval, .json). The other arguments are the options
    of the command. Raises a UserError that lists what is wrong, before anything is written.
    """
    form = LogForm(
        gold=gold,
        name=name,
        fields=fields or {},
        read="filtered_resps" if filtered else "resps",
        filter=filter,
    )
    output = Path(output)
    if problem := output_path_problem(output):
        raise UserError([problem])
    if output.exists():
        raise UserError("exists already; give -o another name", where=str(output))
    bad, taken = BadRows(), set[str]()
    write_text(output, _lines(samples, form, bad, taken, skip_bad))
    told = f"{len(taken):,} rows of {len(samples)} file{'s' if len(samples) > 1 else ''}: {output}"
    data = {"ok": True, "output": str(output), "rows": len(taken), "left_out": bad.count}
    warnings = [str(bad.error(str(samples[0]), "left out, as --skip-bad says"))] if bad.count else []
    return CommandResult(ok=True, text=told, data=data, warnings=warnings)


def _lines(
    samples: Sequence[str | Path], form: LogForm, bad: BadRows, taken: set[str], skip_bad: bool
) -> Iterator[str]:
    """Yield the line of each row that `score` reads. Raises UserError at the end for the others, which `bad` has."""
    for path in map(str, samples):
        for row in (inspect_rows if path.endswith(SUFFIXES) else lm_eval_rows)(path, form):
            checked = row if isinstance(row, Problem) else _checked(row, path, taken)
            if isinstance(checked, Problem):
                bad.add(checked)
                continue
            taken.add(checked["id"])
            yield json.dumps(checked, ensure_ascii=False) + "\n"
    if bad.count and not skip_bad:
        raise bad.error(str(samples[0]), "mend them, or leave them out with --skip-bad")
    if not taken:
        raise UserError("no samples", where=str(samples[0]))


def _checked(row: dict[str, Any], path: str, taken: set[str]) -> dict[str, Any] | Problem:
    """Return the row, or why `score` would not read it."""
    if row["id"] in taken:
        what = f"the id {row['id']!r} is there already; --name tells files of one task and several languages apart"
        return Problem(where=path, what=what)
    try:
        to_group(row, {})
    except ValueError as error:
        return Problem(where=f"{path}: {row['id']}", what=str(error))
    return row
