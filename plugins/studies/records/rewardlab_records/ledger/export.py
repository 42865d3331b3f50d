"""The ledger of a run as one file with a row for each completion: parquet, CSV or JSON lines."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from rewardlab.data import BadRows
from rewardlab.errors import Problem, UserError
from rewardlab.scorefile import output_path_problem

from rewardlab_records.ledger.columns import Column, ColumnFinder
from rewardlab_records.ledger.flat_file import Format, flat_file, format_of
from rewardlab_records.ledger.ledger_file import LedgerFile, find_ledger
from rewardlab_records.ledger.line_check import fault_of_line
from rewardlab_records.ledger.scan import refuse_later_version, whole_lines
from rewardlab_records.ledger.superseded_steps import CurrentSteps, is_discarded
from rewardlab_records.ledger.table import FlatRow, flat_rows


@dataclass(frozen=True, kw_only=True)
class ExportResult:
    """The rows that were written.

    Args:
        superseded: how many of them a resume replaced.
        discarded: how many were made to be trained on and were not.
    """

    rows: int
    superseded: int
    discarded: int
    columns: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return asdict(self)


def export_ledger(run: Path, output: Path, say: Callable[[str], None], raw: bool = False) -> ExportResult:
    """Write the ledger of a run, given by its folder or the file itself, to a new file whose ending says the format.

    The ledger is read once for its columns and again for its rows; no more than a few thousand lines are kept.
    raw: whether texts of CSV that a spreadsheet would run stay as they are. A UserError if there is not a ledger, a
    line is none of a ledger, or `output` exists or cannot be written.
    """
    ledger = find_ledger(run)
    if ledger is None:
        raise UserError("there is no ledger here; name the folder of a run that has scored something", str(run))
    form = format_of(output)
    if problem := output_path_problem(output, new=True):
        raise UserError([problem])
    first = _FirstReading(str(run), ledger, say)
    columns = first.finder.columns()
    names = [column.name for column in columns]
    place_of = {name: names.index(name) for name in ("superseded", "phase", "trained")}
    count = superseded = discarded = 0
    with flat_file(output, form, columns, raw) as write:
        for row in _ordered(ledger, form, columns, first):
            write(row)
            values = {name: row[place] for name, place in place_of.items()}
            count += 1
            superseded += bool(values["superseded"])
            discarded += is_discarded(values)
    return ExportResult(rows=count, superseded=superseded, discarded=discarded, columns=names)


def _ordered(ledger: LedgerFile, form: Format, columns: Sequence[Column], first: "_FirstReading") -> Iterator[FlatRow]:
    """Yield the rows in the ledger's order; for formats without types, those first that show a column's type late."""

    def rows() -> Iterator[tuple[int, FlatRow]]:
        # a run that is going on has added lines meanwhile, perhaps with other columns
        lines = islice((line for _, line in whole_lines(ledger, BadRows())), first.count)
        return enumerate(flat_rows(lines, columns, first.current))

    late = set() if form == "parquet" else {*first.finder.late}
    if late:
        yield from (row for number, row in islice(rows(), max(late) + 1) if number in late)
    yield from (row for number, row in rows() if number not in late)


class _FirstReading:
    """The result of reading all lines: how many there are, their columns, and which of them count.

    Raises UserError that lists the lines that are none of a ledger.
    """

    def __init__(self, path: str, ledger: LedgerFile, say: Callable[[str], None]) -> None:
        self.finder = ColumnFinder()
        self.count = 0
        self._bad = BadRows()
        self.current = CurrentSteps(self._lines(ledger, say))
        if self._bad.count:
            raise self._bad.error(path, "a run writes no such lines; fix them, or leave them out of a copy")

    def _lines(self, ledger: LedgerFile, say: Callable[[str], None]) -> Iterator[Mapping[str, Any]]:
        for place, line in whole_lines(ledger, self._bad, torn=say):
            refuse_later_version(line, place)
            if fault := fault_of_line(line):
                self._bad.add(Problem(where=place, what=fault))
                continue
            self.count += 1
            self.finder.add(line)
            yield line
