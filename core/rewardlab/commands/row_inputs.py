"""Rows that a program hands over, as the file that a job reads twice."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rewardlab.data import BadRows
from rewardlab.errors import Problem
from rewardlab.scoring.given_rows import Rows, as_dicts


@contextmanager
def file_of(rows: Rows | None) -> Iterator[str | None]:
    """Give the path of a file with these rows, which is there as long as the block; a path is given as it is.

    Raises a UserError that lists the rows that JSON cannot hold.
    """
    if rows is None or isinstance(rows, (str, os.PathLike)):
        yield None if rows is None else os.fspath(rows)
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
        yield str(path)
