"""A ledger that is read while it grows: each reading yields what has come since the one before it.

Nothing but the folder is asked, by any machine that sees it: files are known by their size and their last bytes.
"""

from collections.abc import Iterator
from pathlib import Path

from rewardlab.data import LEDGER_FOLDER, GrowingFile, ledger_indices, parse_row
from rewardlab.errors import Problem

from rewardlab_studies.ledger.parts import (
    LEDGER_FILE,
    IndexEntry,
    OpenShards,
    PlacedRow,
    entry_of,
    joined_lines,
)
from rewardlab_studies.ledger.scan import refuse_later_version


class GrowingLedger:
    """The ledger of a run in a folder, which need not have begun."""

    def __init__(self, folder: Path) -> None:
        self._shards = folder / LEDGER_FOLDER
        self._single = GrowingFile(folder / LEDGER_FILE)
        self._indices: dict[Path, _GrowingShards] = {}

    def rows(self) -> Iterator[PlacedRow]:
        """Yield (place, the row or what is wrong with it) for each line that is new and whole.

        Raises ReplacedFile, and UserError if a later version of rewardlab wrote a line.
        """
        for place, row in self._placed_rows():
            if not isinstance(row, Problem):
                refuse_later_version(row, place)
            yield place, row

    def _placed_rows(self) -> Iterator[PlacedRow]:
        yield from _rows_of(self._single.lines())
        for index in ledger_indices(self._shards):
            if index not in self._indices:
                self._indices[index] = _GrowingShards(index)
            yield from _rows_of(self._indices[index].lines())

    @property
    def torn(self) -> bool:
        """Whether the last reading found the beginning of a line or group and not its end."""
        return self._single.torn or any(index.torn for index in self._indices.values())


class _GrowingShards:
    """The groups of one stage and attempt, in the order of their index; one whose bytes are not all there waits."""

    def __init__(self, index: Path) -> None:
        self._index, self._file = index, GrowingFile(index)
        self._entries: dict[str, IndexEntry] = {}
        self._waiting: dict[str, None] = {}

    @property
    def torn(self) -> bool:
        return self._file.torn or bool(self._waiting)

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield (place, line) for each line of a group that is new. See GrowingLedger."""
        for place, line in self._file.lines():
            row = parse_row(line, place)
            if isinstance(row, Problem):
                yield place, line  # which is no line of a ledger either
                continue
            before = self._entries.get(row.get("key", ""))
            entry = entry_of(row, before, self._index)
            self._entries[entry.key] = entry
            if before is None:
                self._waiting[entry.key] = None
        with OpenShards(self._index.parent) as shards:
            for key in list(self._waiting):
                entry = self._entries[key]
                if (lines := joined_lines(entry, shards.read(entry))) is not None:
                    del self._waiting[key]
                    place = f"{self._index.parent / entry.shard} at byte {entry.at}"
                    yield from ((place, line) for line in lines)


def _rows_of(lines: Iterator[tuple[str, bytes]]) -> Iterator[PlacedRow]:
    yield from ((place, parse_row(line, place, any_text=True)) for place, line in lines if line.strip())
