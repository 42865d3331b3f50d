"""Files in object stores, by fsspec: fetched into a folder for temporary files, and read there."""

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines
from rewardlab.errors import Problem, UserError, one_line

STORED = re.compile(r"[a-z][a-z0-9+.-]+://")
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


def _fetched(url: str, folder: str) -> str:
    try:
        import fsspec
    except ImportError:
        raise UserError("files of a store are read by fsspec; pip install fsspec", where=url) from None
    local = str(Path(folder) / (url.rstrip("/").rpartition("/")[2] or "rows"))
    try:
        files, path = fsspec.core.url_to_fs(url)
        files.get(path, local, recursive=True)
    except Exception as error:  # each store raises its own kinds, such as for credentials that are not there
        raise UserError(f"cannot be fetched: {one_line(error)}", where=url) from error
    return local


def _own_rows(path: str) -> Iterator[PlacedRow]:
    return ((f"{path}:{number}", row) for number, row in read_lines(path))
