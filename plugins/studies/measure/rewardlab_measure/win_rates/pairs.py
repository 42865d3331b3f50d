"""Rows of two models' answers to one prompt, as `score` reads them."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewardlab import Group
from rewardlab.errors import Problem, UserError
from rewardlab.files import write_text
from rewardlab.recipe import MISSING_FIELD

from rewardlab_measure.win_rates.answer_file import AnswerFile

PAIR_OF = "pair_of"
"""the field of a row with the id of the prompt, which n answers share"""


def refuse_other_prompts(files: Sequence[AnswerFile], common: bool) -> list[str]:
    """Return the ids that all files have, in the first one's order.

    A UserError if a file lacks some that another has, or has another number of completions of one, unless only what
    is `common` is wanted; and where an id has another prompt in another file.
    """
    shared = [row_id for row_id in files[0].ids() if all(row_id in file for file in files)]
    problems = []
    for file in files:
        lacking = {row_id for other in files for row_id in other.ids() if row_id not in file}
        if lacking and not common:
            first = min(lacking)
            problem = (
                f"{file.name} lacks {len(lacking)} prompts that others have, such as the id {first!r}; --prompts common"
            )
            problems.append(Problem(where=file.path, what=f"{problem} compares the {len(shared)} that all have"))
    if problems:
        raise UserError(problems)
    if not shared:
        raise UserError("no prompt was answered by all models")
    ordered = sorted(files, key=lambda file: file.is_reference)
    for row_id in shared:
        group = ordered[0].read(row_id)
        for file in ordered[1:]:
            other = file.read(row_id)
            meets_all = file.is_reference and len(other.completions) == 1
            _refuse_other(group, other, common or meets_all)
    return shared


def _refuse_other(first: Group, group: Group, any_number: bool) -> None:
    """Raise a UserError if a row is of another prompt, or has another number of completions than it may."""
    if group.sample.prompt != first.sample.prompt:
        problem = f"the id {first.sample.id!r} is another prompt than in {first.sample.source}"
        raise UserError(f"{problem}; compare answers to the same prompts", where=group.sample.source)
    if len(group.completions) != len(first.completions) and not any_number:
        problem = f"{len(group.completions)} completions here and {len(first.completions)} in {first.sample.source}"
        advice = "sample as many of both, or compare as many as all have: --prompts common"
        raise UserError(f"{problem}; {advice}", where=group.sample.source)


def write_pairs(answers: AnswerFile, other: AnswerFile, ids: Sequence[str], path: Path) -> list[str]:
    """Write a row for each pair of answers, and return what that leaves out, in words. Replaces the file.

    Completion 0 of a row is of `answers`, whose columns it has, and completion 1 of `other`. Answer i meets answer i,
    as far as both have one; the only answer of a reference meets all.

    Args:
        ids: of the rows that are compared, in the order in which they are written.
    """
    lines, left_out = [], 0
    other_columns: Counter[str] = Counter()
    for row_id in ids:
        first, second = answers.read(row_id), other.read(row_id)
        if other.is_reference and len(second.completions) == 1:
            second = replace(second, completions=tuple(second.completions) * len(first.completions))
        lines += [json.dumps(row, ensure_ascii=True) for row in _rows(first, second, row_id)]
        left_out += abs(len(first.completions) - len(second.completions))
        other_columns.update(_differing(first.sample.fields, second.sample.fields))
    write_text(path, "".join(f"{line}\n" for line in lines))
    notes = [f"{left_out} answers of {answers.name} or {other.name} have no counterpart and are not compared"]
    return notes[: left_out > 0] + [
        f"{other.path}: {count} rows have another {name} than in {answers.path}, whose columns are taken"
        for name, count in other_columns.items()
    ]


def _differing(fields: Mapping[str, Any], others: Mapping[str, Any]) -> list[str]:
    return [name for name in fields.keys() & others.keys() - {MISSING_FIELD} if fields[name] != others[name]]


def _rows(group: Group, other: Group, row_id: str) -> Iterator[dict[str, Any]]:
    sample = group.sample.as_row()
    for number, pair in enumerate(zip(group.completions, other.completions, strict=False)):
        yield {
            **sample,
            "id": f"{row_id}#{number}",
            PAIR_OF: row_id,
            "completions": [completion.as_dict() for completion in pair],
        }
