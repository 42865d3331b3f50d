"""Files in object stores, by fsspec: fetched into a folder for temporary files, and read there."""

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from rewardlab.data import read_lines
from rewardlab.errors import Problem, UserError, one_line

STORED = re.compile(r"[a-z][a-z0-9+.-]+://")
UNFINISHED = ".unfinished"
"""what stands behind an address while an export to it is written"""
PlacedRow = tuple[str, dict[str, Any] | Problem]


def stored_rows(url: str, rows_of: Callable[[str], Iterator[PlacedRow] | None]) -> Iterator[PlacedRow]:
    """Yield the rows of a file, or of a folder of partitions, in a store; rows_of: those of a path, None for own rows.

    Places name the store's files. A UserError says what fsspec lacks or the store refuses.
    """
    with tempfile.TemporaryDirectory(prefix="rewardlab-") as folder:
        local = _fetched(url, folder)
        rows = rows_of(local)
        for place, row in _own_rows(local) if rows is None else rows:
            named = place.replace(local, url)
            yield named, Problem(where=named, what=row.what) if isinstance(row, Problem) else row


def open_store(url: str) -> tuple[Any, str]:
    """Return the file system of fsspec that an address is of, and its path there. UserError without fsspec."""
    try:
        import fsspec
    except ImportError:
        raise UserError("files of a store are read and written by fsspec; pip install fsspec", where=url) from None
    files, path = fsspec.core.url_to_fs(url.rstrip("/"))
    files.invalidate_cache()
    return files, path


def _fetched(url: str, folder: str) -> str:
    local = str(Path(folder) / (url.rstrip("/").rpartition("/")[2] or "rows"))
    try:
        files, path = open_store(url)
        places = (PurePosixPath(path), *PurePosixPath(path).parents)
        unfinished = [f"{place}{UNFINISHED}" for place in places if len(place.parts) > 1]  # the first is a bucket
        there = [name for name in unfinished if files.exists(name)]
        if not there:
            files.get(path, local, recursive=True)
    except UserError:
        raise
    except Exception as error:  # each store raises its own kinds, such as for credentials that are not there
        raise UserError(f"cannot be fetched: {one_line(error)}", where=url) from error
    if there:
        raise UserError(f"an export to it has not finished, since there is {there[0]}", where=url)
    return local


def _own_rows(path: str) -> Iterator[PlacedRow]:
    return ((f"{path}:{number}", row) for number, row in read_lines(path))
