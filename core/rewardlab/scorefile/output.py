"""The file of scores: one line for each row, appended whole or not at all, and put in the rows' order."""

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, Problem, UserError
from rewardlab.files import cut_torn_line
from rewardlab.recipe.expression import PROGRESS
from rewardlab.scorefile.index import RowIndex
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.failed_rollouts import ROLLOUT_FAILED
from rewardlab.text.redaction import redact
from rewardlab.types import Score

KEYS = ("id", "total", "shaped", "components")
COLUMNS = ("value", "error", "info")


def output_row(given_id: int | str, scored: ScoredGroup) -> dict[str, Any]:
    """Return {"id", "total": [G], "shaped": [G], "components": {name: {"value", "error", "info": [G] each}}}.

    Of a total with a progress also "progress".
    """
    return {
        "id": given_id,
        "total": list(scored.totals),
        "shaped": list(scored.shaped),
        "components": {name: _columns(scores) for name, scores in scored.components.items()},
    } | ({} if scored.progress is None else {PROGRESS: scored.progress})


def _columns(scores: Sequence[Score]) -> dict[str, list[Any]]:
    return {
        "value": [score.value for score in scores],
        "error": [None if score.error is None else redact(score.error) for score in scores],
        "info": [dict(score.info) for score in scores],
    }


def to_line(row: Mapping[str, Any]) -> bytes:
    """Return the row as UTF-8 JSON and a newline, a lone surrogate as its escape. ValueError for NaN or infinity."""
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"  # a surrogate's \udXXX is also what JSON calls it


@dataclass
class PartialOutput:
    """The output of an interrupted job.

    Args:
        rows: that have scores.
        dropped: broken or repeated lines.
        incomplete: rows in which a component of the total failed.
        in_order: whether the lines are exactly the first rows, in order.
    """

    rows: int = 0
    dropped: int = 0
    incomplete: int = 0
    in_order: bool = True


def read_partial_output(
    path: Path,
    index: RowIndex,
    components: Sequence[str],
    seen: Callable[[dict[str, Any]], Any],
    parts: Collection[str] = (),
) -> PartialOutput:
    """Cut a torn last line off and note the place of each row's scores in `index`; call `seen` with each row kept.

    Broken and repeated lines are dropped, so that their rows get no place; so are rows in which one of the components
    `parts` failed. UserError for rows that are not this job's.
    """
    kept = PartialOutput()
    for number, (start, line) in enumerate(_whole_lines(path), 1):
        row = parsed_row(line, components)
        if row is not None and _is_incomplete(row, parts):
            kept.incomplete += 1
            kept.in_order = False
            continue
        position = None
        if row is not None:
            try:
                position = index.place(str(row["id"]), start, len(line))
            except KeyError:
                problem = f"no row has the id {row['id']!r}; this is not a file that `score` wrote for these rows"
                raise UserError(problem, where=f"{path}:{number}") from None
        if row is None or position is None:
            kept.dropped += 1
            kept.in_order = False
            continue
        kept.in_order &= position == kept.rows
        kept.rows += 1
        seen(row)
    return kept


def _is_incomplete(row: Mapping[str, Any], parts: Collection[str]) -> bool:
    """Return whether one of these components, for a completion of the row, failed or lacks an answer it asked for."""
    columns = [row["components"][name] for name in parts]
    return any(map(lacks_part, (e for c in columns for e in c["error"]), (i for c in columns for i in c["info"])))


def lacks_part(error: str | None, info: Any) -> bool:
    """Return whether a score failed (no abstention, nor a rollout that did) or rests on fewer answers than it asked."""
    known = info if isinstance(info, dict) else {}
    return (error is not None and known.get(ROLLOUT_FAILED) is not True) or bool(known.get("unanswered"))


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    cut_torn_line(path)
    start = 0
    with open(path, "rb") as file:
        for line in file:
            yield start, line
            start += len(line)


def parsed_row(line: bytes, components: Sequence[str]) -> dict[str, Any] | None:
    """Return the output row that a line holds; None if it holds none."""
    try:
        row = json.loads(line)
        parts = row["components"]
        columns = [row["total"], row["shaped"], *(parts[name][key] for name in parts for key in COLUMNS)]
        fits = tuple(row) in (KEYS, (*KEYS, PROGRESS)) and list(parts) == list(components)
        return row if fits and type(row["id"]) in (int, str) and len({len(column) for column in columns}) == 1 else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def put_in_order(path: Path, scratch: Path, index: RowIndex, components: Sequence[str]) -> None:
    """Rewrite the file in the order of the rows; the old one stays until the new one is complete."""
    index.forget_places()
    read_partial_output(path, index, components, lambda row: None)
    _rewrite(path, scratch, index)


def leave_out_incomplete(path: Path, scratch: Path, index: RowIndex, components: Sequence[str]) -> None:
    """Rewrite the file with only the rows that have a place, and note the new places; the others will be scored."""
    _rewrite(path, scratch, index)
    index.forget_places()
    read_partial_output(path, index, components, lambda row: None)


def _rewrite(path: Path, scratch: Path, index: RowIndex) -> None:
    try:
        with open(path, "rb") as source, open(scratch, "wb") as target:
            for start, size in index.places():
                source.seek(start)
                target.write(source.read(size))
            target.flush()
            os.fsync(target.fileno())
        os.replace(scratch, path)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        problem = f"the rows in {path} have their scores, but putting them in order failed: {error.strerror}"
        raise JobError(problem) from error


def store_problem(path: Path) -> Problem | None:
    """Return what to do instead if a path is an address in a store; a Path has one of its two slashes."""
    if re.match("[a-z][a-z0-9+.-]+:/", str(path)) is None or path.parent.is_dir():
        return None
    what = "a store has no locks and no appending; write to a folder that all machines see, and bring scores from"
    what += " there by `rewardlab export ROWS SCORED -o ADDRESS`"
    return Problem(where=str(path).replace(":/", "://", 1), what=what)


def output_path_problem(path: Path, new: bool = False) -> Problem | None:
    """Return why no file can be made at `path`; None if no reason is known beforehand. new: nor one replaced."""
    if path.is_dir():
        return Problem(where=str(path), what="this is a folder; name a file")
    if not path.parent.is_dir():
        return store_problem(path) or Problem(where=str(path), what=f"there is no folder {path.parent}; make it first")
    if not os.access(path.parent, os.W_OK):
        return Problem(where=str(path), what=f"the folder {path.parent} cannot be written to")
    if new and path.exists():
        return Problem(where=str(path), what="exists already; give -o another name")
    return None
