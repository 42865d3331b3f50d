"""Tables of text: cells aligned by the columns that they take in a terminal."""

import unicodedata
from collections.abc import Iterable, Sequence

COLUMN_GAP = "  "
"""what stands between two columns"""
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""signs without a width that texts in many languages need"""


def columns(rows: Iterable[Sequence[str]], align: str = "<") -> list[str]:
    """Return a line for each of n rows of m cells, with COLUMN_GAP between the cells; blanks at a line's end are cut.

    Args:
        align: a sign for each column, "<" for left or ">" for right; the last sign is also that of all further
            columns. A column is as wide as its widest cell (`display_width`).

    Raises ValueError if the rows differ in length.
    """
    table = [[(cell, display_width(cell)) for cell in row] for row in rows]
    widths = [max(width for _, width in column) for column in zip(*table, strict=True)]
    signs = align.ljust(len(widths), align[-1])
    lines = []
    for row in table:
        cells = []
        for (cell, width), widest, sign in zip(row, widths, signs, strict=False):
            blanks = " " * (widest - width)
            cells.append(blanks + cell if sign == ">" else cell + blanks)
        lines.append(COLUMN_GAP.join(cells).rstrip())
    return lines


def display_width(text: str) -> int:
    """Return the number of terminal columns that a line of text takes: two for a wide East Asian character."""
    return len(text) if text.isascii() else sum(map(_sign_width, text))


def _sign_width(sign: str) -> int:
    if unicodedata.combining(sign) or sign in JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
