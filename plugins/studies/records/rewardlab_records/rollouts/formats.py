"""Rollouts that other tools wrote, as rows: the plugin that reads a file is found by looking at it, or by its name."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines
from rewardlab.errors import Problem, UserError, nearest

from rewardlab_records.rollouts.stored_files import STORED, stored_rows

FORMATS = "rewardlab.rollout_formats"
"""entry points of plugins: the name of a format, such as "verl" -> its RolloutFormat"""
ENDINGS = (".jsonl", ".parquet", ".eval", ".json", ".jsonl.gz")
"""endings of the files that are read of a folder"""
HUB_DATA = "data"
"""the folder with the files of a dataset of the hub"""
COMPLETIONS = "completions"
"""the column of rows in our own form, which no other format has"""

PlacedRow = tuple[str, dict[str, Any] | Problem]
"""(the place, such as "dump.jsonl:3"; the row that begins there, or what is wrong)"""


@dataclass(frozen=True, kw_only=True)
class RolloutFormat:
    """A format of another tool's rollouts: how they are recognized and read.

    Args:
        recognizes: takes a file's path and its first record, which is empty if the file is neither JSON lines nor
            parquet.
        rows: yields a row for each group of a file, streaming: {"id", "prompt", "completions", ...fields}.
    """

    recognizes: Callable[[str, Mapping[str, Any]], bool]
    rows: Callable[[str], Iterator[PlacedRow]]


def rollout_rows(path: str, name: str | None = None) -> Iterator[PlacedRow] | None:
    """Return the rows of a file, or of a folder with several: a file for each step, partitions, a dataset of the hub.

    A path such as s3://bucket/rows is fetched by fsspec, also a folder. None for a file that no format recognizes, and
    for another folder, such as a run's. Raises UserError for an unknown name.
    """
    if STORED.match(path):
        return stored_rows(path, lambda local: rollout_rows(local, name))
    of_hub = _files_of(Path(path, HUB_DATA))
    files = of_hub or (_files_of(Path(path)) if os.path.isdir(path) else [path])
    recognized = rollout_format(files[0], name) if files else None
    in_folder = os.path.isdir(path) and files
    if recognized is None and not (in_folder and COMPLETIONS in _first_record(files[0])):
        return None
    if len(splits := sorted({re.split(r"[-.]", Path(file).name)[0] for file in of_hub})) > 1:
        problem = f"has the splits {', '.join(splits)}; name the file of one, or a folder with the files of one"
        raise UserError(problem, where=path)
    read = _rows if recognized is None else recognized.rows
    return (row for file in files for row in read(file))


def _files_of(folder: Path) -> list[str]:
    inside = [str(file) for file in folder.iterdir() if file.name.endswith(ENDINGS)] if folder.is_dir() else []
    return sorted(inside, key=_in_steps)


def _rows(path: str) -> Iterator[PlacedRow]:
    return ((f"{path}:{number}", row) for number, row in read_lines(path))


def rollout_format(path: str, name: str | None = None) -> RolloutFormat | None:
    """Return the format of this name, or the one that recognizes the file; None if none does.

    Raises UserError for an unknown name, and if two formats recognize the file.
    """
    return _recognized(path) if name is None else _named(name)


def _named(name: str) -> RolloutFormat:
    points = {point.name: point for point in entry_points(group=FORMATS)}
    if name not in points:
        problem = f"no format {name!r}{nearest(name, points)}; there are {', '.join(sorted(points)) or 'none'}"
        raise UserError(problem, where="--format")
    return _loaded(points[name])


def _recognized(path: str) -> RolloutFormat | None:
    if not os.path.isfile(path):  # a pipe is read only once
        return None
    first = _first_record(path)
    if COMPLETIONS in first:
        return None
    formats = {point.name: _loaded(point) for point in entry_points(group=FORMATS)}
    names = sorted(name for name, rollout_format in formats.items() if rollout_format.recognizes(path, first))
    if len(names) > 1:
        raise UserError(f"could be rollouts of {' or '.join(names)}; say which: --format {names[0]}", where=path)
    return formats[names[0]] if names else None


def _loaded(point: EntryPoint) -> RolloutFormat:
    rollout_format: RolloutFormat = point.load()
    return rollout_format


def _first_record(path: str) -> Mapping[str, Any]:
    with closing(read_lines(path, nan_is_null=True)) as rows:
        _, first = next(rows, (0, {}))
    return {} if isinstance(first, Problem) else first


def _in_steps(path: str) -> list[tuple[int, str]]:
    """Return a key that has 9.jsonl before 10.jsonl."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", os.path.basename(path))]
