"""Read parquet files by pyarrow, an extra that is imported only if a file needs it.

What a file unpacks to is read from its footer and page heads before any of it is unpacked: thirty kilobytes can hold
gigabytes, a text of one letter, or one text that a dictionary gives to every row.
"""

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from rewardlab.data import MAX_BYTES, plain_row, shown_name, too_long
from rewardlab.errors import Problem, UserError, one_line

MAX_PART = 1 << 28
"""bytes of one column in one group of rows, unpacked, which may be a single page, beyond MAX_FOLD"""
MAX_FOLD = 100
"""how many times its size on the disk such a part may unpack to; texts unpack to some ten times"""
MAX_COPIES = 1 << 29
"""bytes that a batch could take, were each of its texts the whole dictionary, before it is read as dictionary"""
DICTIONARY_PAGE = 2
"""the kind of a page in its head, by parquet's format"""
_NUMBER = 0x15
"""the sign before a number of 32 bits whose field follows the field before it, in Thrift's compact form"""


def columns_to_keep_packed(path: str, footer: Any, batch_rows: int) -> list[str]:
    """Return the columns whose dictionaries could make far more of a batch of rows than they hold.

    Raises UserError if a column unpacks to a size that no text has, or to more per row than a row may hold.
    """
    columns: dict[str, None] = {}
    with open(path, "rb") as file:
        for group in map(footer.row_group, range(footer.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                _refuse_too_large(column, group.num_rows, path)
                values = batch_rows * -(-column.num_values // max(1, group.num_rows))
                if column.physical_type == "BYTE_ARRAY" and values * _dictionary_bytes(file, column) > MAX_COPIES:
                    columns[column.path_in_schema] = None
    return list(columns)


def unpacked_bytes(array: Any) -> int:
    """Return how many bytes an array's values take once each has its own text of a dictionary."""
    from pyarrow import compute, types

    kind = array.type
    if types.is_dictionary(kind):
        if types.is_primitive(kind.value_type):
            return int(array.nbytes) * len(array)
        return compute.sum(compute.binary_length(array.dictionary).take(array.indices)).as_py() or 0
    if types.is_struct(kind):
        return sum(map(unpacked_bytes, array.flatten()))
    if types.is_nested(kind):
        return int(array.nbytes) if types.is_union(kind) else unpacked_bytes(array.flatten()) + len(array)
    return int(array.nbytes)


def _refuse_too_large(column: Any, rows: int, path: str) -> None:
    size, stored = column.total_uncompressed_size, column.total_compressed_size
    if size > max(1, rows) * MAX_BYTES or (size > MAX_PART and size > MAX_FOLD * max(1, stored)):
        problem = f"the column {shown_name(column.path_in_schema)} unpacks from {stored:,} bytes to {size >> 20:,} MB"
        raise UserError(f"{problem} in {rows:,} rows, and is not read; leave it out, or write smaller row groups", path)


def _dictionary_bytes(file: BinaryIO, column: Any) -> int:
    """Return the size of the dictionary of a column, which is its first page; 0 without one."""
    file.seek(column.dictionary_page_offset or column.data_page_offset)
    kind, size = _first_numbers(file.read(16))
    if kind == DICTIONARY_PAGE:
        return size
    elsewhere = any("DICTIONARY" in encoding for encoding in column.encodings)
    return column.total_uncompressed_size if elsewhere else 0


def _first_numbers(head: bytes) -> tuple[int, int]:
    """Return the first two fields of a page's head: its kind, and its size unpacked. (0, 0) if it has other fields."""
    numbers, at = [], 0
    for _ in range(2):
        if head[at : at + 1] != bytes([_NUMBER]):
            return 0, 0
        number = shift = 0
        for byte in head[at + 1 :]:
            number, shift, at = number | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                break
        at += 1
        numbers.append(number >> 1)  # zigzag, of numbers that are never negative
    return numbers[0], numbers[1]


BATCH_ROWS = 64


def import_pyarrow(path: str) -> Any:
    """Return the module pyarrow. Raises UserError that says how to install it, for the file at `path`."""
    try:
        import pyarrow
    except ImportError as error:
        raise UserError("parquet files need the library pyarrow; pip install pyarrow", where=path) from error
    return pyarrow


def parquet_rows(
    _: BinaryIO, path: str, _any_text: bool = False, nan_is_null: bool = False
) -> Generator[tuple[int, dict[str, Any] | Problem]]:
    """Yield (row number from 1, the row or what is wrong with it), a few rows in memory at a time.

    A null is not a value: parquet has no other word for a key that is absent, in a row as in what it holds. NaN, as
    which pandas writes missing values, is not one either; nor is an infinity, if `nan_is_null`. Dates and decimals are
    texts.

    Raises UserError at once without pyarrow, if this is not a parquet file or two columns have one name, later if it
    cannot be read on.
    """
    if path.lower().endswith(".gz"):
        raise UserError("parquet is packed already; unpack the file", where=path)
    import_pyarrow(path)
    from pyarrow import parquet

    try:
        packed = columns_to_keep_packed(path, parquet.read_metadata(path), BATCH_ROWS)
        table = parquet.ParquetFile(path, read_dictionary=packed)
    except UserError:
        raise
    except Exception as error:  # pyarrow's own kinds, and those of the system
        raise UserError(f"this is not a parquet file: {one_line(error)}", where=path) from error
    names = table.schema_arrow.names
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        table.close()
        raise UserError(f"two columns are called {shown_name(twice[0])}; rename one", where=path)
    return _rows(table, path, nan_is_null)


def _rows(file: Any, path: str, nan_is_null: bool) -> Generator[tuple[int, dict[str, Any] | Problem]]:
    number = 0
    with file:
        batches = file.iter_batches(batch_size=BATCH_ROWS)
        while (batch := _next(batches, path, number)) is not None:
            for values in _values(batch):
                number += 1
                try:
                    row = values if isinstance(values, dict) else _one_row(*values)
                    yield number, plain_row(row, nan_is_null)
                except ValueError as error:
                    yield number, Problem(where=f"{path}:{number}", what=str(error))


def _values(batch: Any) -> Iterator[dict[str, Any] | tuple[Any, int]]:
    """Yield the rows of a batch as Python's values; of one that is large or cannot be read whole, (batch, index)."""
    rows = None
    if sum(map(unpacked_bytes, batch.columns)) <= MAX_BYTES:
        with suppress(ValueError, OverflowError, NotImplementedError):  # the row that is to blame is found one by one
            rows = batch.to_pylist(maps_as_pydicts="lossy")
    yield from ((batch, index) for index in range(batch.num_rows)) if rows is None else rows


def _one_row(batch: Any, index: int) -> dict[str, Any]:
    """Return one row of a batch. Raises ValueError if it is too long or Python has no such value."""
    columns = {name: column.slice(index, 1) for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    if sum(map(unpacked_bytes, columns.values())) > MAX_BYTES:
        raise ValueError(too_long("row"))
    return {name: _one_value(value, name) for name, value in columns.items()}


def _one_value(column: Any, name: str) -> Any:
    try:
        return column.to_pylist(maps_as_pydicts="lossy")[0]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"the column {shown_name(name)} is not UTF-8: {error.reason} at byte {error.start + 1}"
        ) from None
    except (ValueError, OverflowError, NotImplementedError) as error:
        raise ValueError(f"the column {shown_name(name)} holds what cannot be read: {one_line(error)}") from None


def _next(batches: Any, path: str, number: int) -> Any:
    try:
        return next(batches, None)
    except Exception as error:  # a file that was cut or damaged
        raise UserError(f"cannot be read: {one_line(error)}", where=f"{path}:{number + 1}") from error
