"""Read the unpacked size of a parquet file from its footer and page heads, before unpacking any of it.

Thirty kilobytes can hold gigabytes: a text of one letter, or one text that a dictionary gives to every row.
"""

from typing import Any, BinaryIO

from rewardlab.data.jsonl import MOST_BYTES, told_name
from rewardlab.errors import UserError

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
    found: dict[str, None] = {}
    with open(path, "rb") as file:
        for group in map(footer.row_group, range(footer.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                _refuse_too_large(column, group.num_rows, path)
                values = batch_rows * -(-column.num_values // max(1, group.num_rows))
                if column.physical_type == "BYTE_ARRAY" and values * _dictionary_bytes(file, column) > MAX_COPIES:
                    found[column.path_in_schema] = None
    return list(found)


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
    if size > max(1, rows) * MOST_BYTES or (size > MAX_PART and size > MAX_FOLD * max(1, stored)):
        what = f"the column {told_name(column.path_in_schema)} unpacks from {stored:,} bytes to {size >> 20:,} MB"
        raise UserError(f"{what} in {rows:,} rows, and is not read; leave it out, or write smaller row groups", path)


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
    found, at = [], 0
    for _ in range(2):
        if head[at : at + 1] != bytes([_NUMBER]):
            return 0, 0
        number = shift = 0
        for byte in head[at + 1 :]:
            number, shift, at = number | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                break
        at += 1
        found.append(number >> 1)  # zigzag, of numbers that are never negative
    return found[0], found[1]
