"""Read the texts of evaluation sets, and choose the text of a row that is compared."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab import Sample
from rewardlab.data import raw_sample, read_lines
from rewardlab.errors import Problem, UserError

MAX_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """A row of an evaluation set: its text, where it stands ("eval.jsonl:7"), and the value of its field `language`."""

    where: str
    text: str
    language: str = ""


def evaluation_rows(files: Sequence[str], field: str) -> list[EvaluationRow]:
    """Return the rows of JSONL files, each text once.

    Raises UserError, which names missing files, and rows without a text.
    """
    rows: dict[str, EvaluationRow] = {}
    problems = [Problem(where=file, what="no such file (of `against`)") for file in files if not _path(file).is_file()]
    if problems:
        raise UserError(problems)
    for file in files:
        for number, row in read_lines(_path(file)):
            where = f"{file}:{number}"
            if isinstance(row, Problem):
                problems.append(row)
            elif (text := text_of(sample := raw_sample(row), field)) is None:
                problem = f"neither a text in field {field!r} nor a prompt with a user message"
                problems.append(Problem(where=where, what=problem))
            else:
                rows.setdefault(text, EvaluationRow(where, text, language_of(sample)))
    if problems:
        raise UserError(problems[:MAX_PROBLEMS])
    if not rows:
        raise UserError(f"against: no rows in {', '.join(files)}")
    return list(rows.values())


def _path(file: str) -> Path:
    return Path(os.path.expanduser(file))


def text_of(sample: Sample, field: str) -> str | None:
    """Return the field if it holds a text, else the user's last message; None without either."""
    messages = [message["content"] for message in sample.prompt if message["role"] == "user"]
    for text in (sample.fields.get(field), *messages[-1:]):
        if isinstance(text, str) and text.strip():
            return text.strip()
    return None


def language_of(sample: Sample) -> str:
    """Return what the field `language` has, as a text; "" without one."""
    return str(sample.fields.get("language") or "")
