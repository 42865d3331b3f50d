"""A ledger that is read while it grows: each reading yields what has come since the one before it.

Nothing but the file is asked, by any machine that sees it: it is known by its size and its last bytes.
"""

from collections.abc import Iterator
from pathlib import Path

from rewardlab.data import parse_row
from rewardlab.errors import Problem
from rewardlab_training import GrowingFile, ledger_path

from rewardlab_records.ledger.ledger_file import PlacedRow
from rewardlab_records.ledger.scan import refuse_later_version


class GrowingLedger:
    """The ledger of a run in a folder, which need not have begun."""

    def __init__(self, folder: Path) -> None:
        """Read nothing yet. A UserError if an earlier version wrote it in shards."""
        self._file = GrowingFile(ledger_path(folder))

    def rows(self) -> Iterator[PlacedRow]:
        """Yield (place, the row or what is wrong with it) for each line that is new and whole.

        Raises ReplacedFile, and UserError if a later version of rewardlab wrote a line.
        """
        for place, line in self._file.lines():
            if line.strip():
                row = parse_row(line, place, any_text=True)
                if not isinstance(row, Problem):
                    refuse_later_version(row, place)
                yield place, row

    @property
    def torn(self) -> bool:
        """Whether the last reading found the beginning of a line and not its end."""
        return self._file.torn
