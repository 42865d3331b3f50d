"""Read parquet files by pyarrow, an extra that is imported only if a file needs it."""

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any

from rewardlab.data.jsonl import MOST_BYTES, told_name, too_long
from rewardlab.data.parquet_sizes import columns_to_keep_packed, unpacked_bytes
from rewardlab.data.plain_values import plain_row
from rewardlab.errors import Problem, UserError, one_line

INSTALL = "pip install 'rewardlab[parquet]'"
BATCH_ROWS = 64


def import_pyarrow(path: str) -> Any:
    """Return the module pyarrow. Raises UserError that says how to install it, for the file at `path`."""
    try:
        import pyarrow
    except ImportError as error:
        raise UserError(f"parquet files need the library pyarrow; {INSTALL}", where=path) from error
    return pyarrow


def parquet_rows(path: str) -> Generator[tuple[int, dict[str, Any] | Problem]]:
    """Yield (row number from 1, the row or what is wrong with it), a few rows in memory at a time.

    A null is not a value: parquet has no other word for a key that is absent, in a row as in what it holds. NaN, as
    which pandas writes missing values, is not one either. Dates and decimals are texts.

    Raises UserError at once without pyarrow, if this is not a parquet file or two columns have one name, later if it
    cannot be read on.
    """
    import_pyarrow(path)
    from pyarrow import parquet

    try:
        packed = columns_to_keep_packed(path, parquet.read_metadata(path), BATCH_ROWS)
        file = parquet.ParquetFile(path, read_dictionary=packed)
    except UserError:
        raise
    except Exception as error:  # pyarrow's own kinds, and those of the system
        raise UserError(f"this is not a parquet file: {one_line(error)}", where=path) from error
    names = file.schema_arrow.names
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        file.close()
        raise UserError(f"two columns are called {told_name(twice[0])}; rename one", where=path)
    return _rows(file, path)


def _rows(file: Any, path: str) -> Generator[tuple[int, dict[str, Any] | Problem]]:
    number = 0
    with file:
        batches = file.iter_batches(batch_size=BATCH_ROWS)
        while (batch := _next(batches, path, number)) is not None:
            for values in _values(batch):
                number += 1
                try:
                    yield number, plain_row(values if isinstance(values, dict) else _one_row(*values))
                except ValueError as error:
                    yield number, Problem(where=f"{path}:{number}", what=str(error))


def _values(batch: Any) -> Iterator[dict[str, Any] | tuple[Any, int]]:
    """Yield the rows of a batch as Python's values; of one that is large or cannot be read whole, (batch, index)."""
    rows = None
    if sum(map(unpacked_bytes, batch.columns)) <= MOST_BYTES:
        with suppress(ValueError, OverflowError, NotImplementedError):  # the row that is to blame is found one by one
            rows = batch.to_pylist(maps_as_pydicts="lossy")
    yield from ((batch, index) for index in range(batch.num_rows)) if rows is None else rows


def _one_row(batch: Any, index: int) -> dict[str, Any]:
    """Return one row of a batch. Raises ValueError if it is too long or Python has no such value."""
    columns = {name: column.slice(index, 1) for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    if sum(map(unpacked_bytes, columns.values())) > MOST_BYTES:
        raise ValueError(too_long("row"))
    return {name: _one_value(value, name) for name, value in columns.items()}


def _one_value(column: Any, name: str) -> Any:
    try:
        return column.to_pylist(maps_as_pydicts="lossy")[0]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"the column {told_name(name)} is not UTF-8: {error.reason} at byte {error.start + 1}"
        ) from None
    except (ValueError, OverflowError, NotImplementedError) as error:
        raise ValueError(f"the column {told_name(name)} holds what cannot be read: {one_line(error)}") from None


def _next(batches: Any, path: str, number: int) -> Any:
    try:
        return next(batches, None)
    except Exception as error:  # a file that was cut or damaged
        raise UserError(f"cannot be read: {one_line(error)}", where=f"{path}:{number + 1}") from error
