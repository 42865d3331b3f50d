"""Rows that a program hands over, as the file that a job reads twice."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rewardlab.data import BadRows
from rewardlab.errors import Problem, RewardlabError, UserError
from rewardlab.scoring.given_rows import Rows, as_dicts

Say = Callable[[str], None]


@contextmanager
def file_of(rows: Rows | None, say: Say) -> Iterator[tuple[str | None, Say]]:
    """Give the path of a file with these rows, which is there as long as the block; a path is given as it is.

    Errors in the block, and the notes of the `say` that is given, name the caller's rows in the file's place: "rows[3]"
    if that is their fourth line. Raises a UserError that lists the rows that JSON cannot hold.
    """
    if rows is None or isinstance(rows, (str, os.PathLike)):
        yield None if rows is None else os.fspath(rows), say
        return
    dicts = as_dicts(rows)
    with tempfile.TemporaryDirectory(prefix="rewardlab-") as folder:
        path = Path(folder) / "rows.jsonl"
        bad = BadRows()
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            for index, row in enumerate(dicts):
                try:
                    file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
                except (TypeError, ValueError, RecursionError) as error:
                    bad.add(Problem(where=f"rows[{index}]", what=str(error)))
        if bad.count:
            raise bad.error("rows", "a row holds JSON values")
        place = re.compile(rf"{re.escape(str(path))}(?::(\d+))?")

        def named(text: str) -> str:
            return place.sub(lambda found: f"rows[{int(found[1]) - 1}]" if found[1] else "rows", text)

        try:
            yield str(path), lambda text: say(named(text))
        except RewardlabError as error:
            if isinstance(error, UserError):
                error.problems = [replace(p, where=named(p.where), what=named(p.what)) for p in error.problems]
            error.args = tuple(named(str(argument)) for argument in error.args)
            raise
