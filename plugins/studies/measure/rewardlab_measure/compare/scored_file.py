"""A file that `score` wrote, with its rows looked up by id: memory holds where each row stands, not the rows."""

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rewardlab.data import BadRows, measured_lines
from rewardlab.errors import JobError, Problem, UserError
from rewardlab.files import parse_json
from rewardlab_records.scored_lines import ADVICE, scored_line, scored_lines


class ScoredFile:
    """A file of scores: id (as text) -> a line that `score` wrote. Takes about 150 bytes of memory a row."""

    def __init__(self, path: str) -> None:
        """Read the whole file once. A UserError lists what is wrong with it, such as lines that `score` never wrote."""
        self.path = path
        self.components: Sequence[str] = ()
        self._numbers: dict[str, int] = {}
        self._lines, self._starts, self._sizes = array("q"), array("q"), array("l")
        bad = BadRows()
        for line, start, row in _with_places(path):
            problem = row if isinstance(row, Problem) else self._noted(row, line, start)
            if problem is not None:
                bad.add(problem)
        if bad.count:
            raise bad.error(path, ADVICE)
        if not self._numbers:
            raise UserError("it has no rows", where=path)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, row_id: object) -> bool:
        return row_id in self._numbers

    def ids(self) -> Iterator[str]:
        """Return the ids in the order of the file."""
        return iter(self._numbers)

    def size(self, row_id: str) -> int | None:
        """Return how many completions the row with this id has; None if there is no such row."""
        number = self._numbers.get(row_id)
        return None if number is None else self._sizes[number]

    def place(self, row_id: str) -> str:
        """Return where the row with this id stands: "a.jsonl:7"."""
        return f"{self.path}:{self._lines[self._numbers[row_id]]}"

    def read(self, row_id: str) -> dict[str, Any]:
        """Read the row with this id. A JobError if the file has changed since it was opened."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self._starts[self._numbers[row_id]])
                row = parse_json(file.readline())
            scored = scored_line(row, self.path)
            if scored == row and str(row["id"]) == row_id and len(row["total"]) == self.size(row_id):
                return row
        except (ValueError, AttributeError):  # no JSON, or no object any more
            pass
        raise JobError(f"{self.place(row_id)}: the file changed while it was read")

    def _noted(self, row: dict[str, Any], line: int, start: int) -> Problem | None:
        source = f"{self.path}:{line}"
        row_id = str(row["id"])
        if row_id in self._numbers:
            return Problem(where=source, what=f"the id {row_id!r} is already used by {self.place(row_id)}")
        self.components = self.components or list(row["components"])
        self._numbers[row_id] = len(self._numbers)
        self._lines.append(line)
        self._starts.append(start)
        self._sizes.append(len(row["total"]))
        return None


def _with_places(path: str) -> Iterator[tuple[int, int, dict[str, Any] | Problem]]:
    """Yield (line number, the byte where the line starts, the row or what is wrong with it)."""
    if path.endswith(".gz"):
        raise UserError("scores are looked up by their place; unpack this file first", where=path)
    rows = scored_lines(path)  # a UserError if it cannot be opened
    starts = array("q", [0])
    with Path(path).open("rb") as file:
        for _, size in measured_lines(file):
            starts.append(starts[-1] + size)
    return ((line, starts[line - 1], row) for line, row in rows)
