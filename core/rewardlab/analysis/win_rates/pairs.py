"""Rows of two models' answers to one prompt, as `score` reads them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rewardlab.analysis.win_rates.answer_file import AnswerFile
from rewardlab.errors import Problem, UserError
from rewardlab.files import write_text
from rewardlab.types import Completion, Group

PAIR_OF = "pair_of"
"""the field of a row with the id of the prompt, which n answers share"""


def refuse_other_prompts(files: Sequence[AnswerFile], common: bool) -> list[str]:
    """Return the ids that all files have, in the first one's order.

    A UserError where a file lacks some that another has, unless only `common` ones are wanted, or where an id has
    another prompt in another file.
    """
    shared = [row_id for row_id in files[0].ids() if all(row_id in file for file in files)]
    problems = []
    for file in files:
        lacking = {row_id for other in files for row_id in other.ids() if row_id not in file}
        if lacking and not common:
            first = min(lacking)
            what = (
                f"{file.name} lacks {len(lacking)} prompts that others have, such as the id {first!r}; --prompts common"
            )
            problems.append(Problem(where=file.path, what=f"{what} compares the {len(shared)} that all have"))
    if problems:
        raise UserError(problems)
    if not shared:
        raise UserError("no prompt was answered by all models")
    for row_id in shared:
        first_prompt = files[0].read(row_id).sample.prompt
        for file in files[1:]:
            if file.read(row_id).sample.prompt != first_prompt:
                what = (
                    f"the id {row_id!r} is another prompt than in {files[0].path}; compare answers to the same prompts"
                )
                raise UserError(what, where=file.path)
    return shared


def write_pairs(one: AnswerFile, other: AnswerFile, ids: Sequence[str], path: Path) -> None:
    """Write a row for each pair of answers: completion 0 is of `one`, completion 1 of `other`. Replaces the file."""
    lines = [
        json.dumps(row, ensure_ascii=True)
        for row_id in ids
        for row in _rows(one.read(row_id), other.read(row_id), row_id)
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))


def _rows(one: Group, other: Group, row_id: str) -> Iterator[dict[str, Any]]:
    sample = one.sample.as_row()
    if len(one.completions) != len(other.completions):
        what = f"{len(one.completions)} completions here and {len(other.completions)} in {other.sample.source}"
        raise UserError(f"{what}; sample as many of both", where=one.sample.source)
    for number, pair in enumerate(zip(one.completions, other.completions, strict=True)):
        yield {**sample, "id": f"{row_id}#{number}", PAIR_OF: row_id, "completions": [_as_dict(c) for c in pair]}


def _as_dict(completion: Completion) -> dict[str, Any]:
    return {"text": completion.text, "token_count": completion.token_count, "truncated": completion.truncated}
