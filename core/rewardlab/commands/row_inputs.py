"""Rows that a program hands over, or that another tool wrote, as the file that a job reads twice."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from rewardlab.data import BadRows
from rewardlab.errors import Problem, RewardlabError, UserError
from rewardlab.scoring.given_rows import Rows, as_dicts
from rewardlab.specs.entry_points import entry_points_of

ROLLOUTS = "rewardlab.rollouts"
"""entry point of the plugin that reads rollouts: a function of a path and a format's name, if one is named"""
Say = Callable[[str], None]


@contextmanager
def file_of(
    rows: Rows | None, say: Say, format: str | None = None, skip_bad: bool = False
) -> Iterator[tuple[str | None, Say]]:
    """Give the path of a file with these rows, which is there as long as the block; a path is given as it is.

    Of a file of rollouts, whose `format` is found by looking at it if none is named, it is a file of rows for its
    groups. Errors in the block, and the notes of the `say` that is given, name the caller's rows in the file's place:
    "rows[3]" if that is their fourth line. Raises a UserError that lists the rows that JSON cannot hold and the
    rollouts that cannot be read; skip_bad leaves those out.
    """
    if rows is None:
        yield None, say
        return
    if isinstance(rows, (str, os.PathLike)):
        whole, advice = os.fspath(rows), "fix them, or leave them out with --skip-bad"
        readers = list(entry_points_of(ROLLOUTS))
        if format is not None and not readers:
            raise UserError("no plugin that is installed reads rollouts", where=f"--format {format}")
        placed = next((point.load()(whole, format) for point in readers), None)
        if placed is None:
            yield whole, say
            return
    else:
        whole, advice = "rows", "a row holds JSON values"
        placed = ((f"rows[{index}]", row) for index, row in enumerate(as_dicts(rows)))
    with tempfile.TemporaryDirectory(prefix="rewardlab-") as folder:
        path, places = Path(folder) / "rows.jsonl", Path(folder) / "places"
        bad = _write(placed, path, places)
        if bad.count and (whole == "rows" or not skip_bad):
            raise bad.error(whole, advice)
        for problem in bad.listed:
            say(f"warning: {problem}; left out")
        place = re.compile(rf"{re.escape(str(path))}(?::(\d+))?")

        def named(text: str) -> str:
            return place.sub(lambda match: _line(places, int(match[1])) if match[1] else whole, text)

        try:
            yield str(path), lambda text: say(named(text))
        except RewardlabError as error:
            if isinstance(error, UserError):
                error.problems = [replace(p, where=named(p.where), what=named(p.what)) for p in error.problems]
            error.args = tuple(named(str(argument)) for argument in error.args)
            raise


def _write(rows: Iterator[tuple[str, Any]], path: Path, places: Path) -> BadRows:
    """Write the rows, and the place of each beside them; return what is wrong with the others."""
    bad = BadRows()
    how: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace"}
    with open(path, "w", **how) as file, open(places, "w", **how) as beside:
        for place, row in rows:
            if isinstance(row, Problem):
                bad.add(row)
                continue
            try:
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
            except (TypeError, ValueError, RecursionError) as error:
                bad.add(Problem(where=place, what=str(error)))
            else:
                beside.write(place.replace("\n", " ") + "\n")
    return bad


def _line(file: Path, number: int) -> str:
    """Return a line of a file, from 1."""
    with open(file, encoding="utf-8") as lines:
        return next(islice(lines, number - 1, None), "").rstrip("\n")
