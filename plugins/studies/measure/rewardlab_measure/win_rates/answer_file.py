"""A file of one model's answers, with its rows looked up by id: memory holds where each row stands, not the rows."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from rewardlab import Group
from rewardlab.data import BadRows, Identifier, measured_lines, parse_row, to_group
from rewardlab.errors import JobError, Problem, UserError


class AnswerFile:
    """The rows of a JSON lines file with prompts and completions, as an evaluation writes them.

    Args:
        is_reference: whether all other models meet this one, which may have a single answer to each prompt for
            that.
        columns: what the rows' columns are called, our field -> theirs.
    """

    def __init__(
        self, name: str, path: str, is_reference: bool = False, columns: Mapping[str, str] | None = None
    ) -> None:
        """Read the whole file once. A UserError lists the rows that are wrong."""
        self.name, self.path, self.is_reference = name, path, is_reference
        self._columns = columns or {}
        self._places: dict[str, tuple[int, int]] = {}
        if not Path(path).is_file():
            raise UserError("no such file; name the rows of an evaluation, with completions", where=path)
        bad, identify, start = BadRows(), Identifier(), 0
        with open(path, "rb") as file:
            for number, (line, size) in enumerate(measured_lines(file), 1):
                if line.strip():
                    try:
                        self._places[identify(self._group(line, f"{path}:{number}").sample).id] = (number, start)
                    except ValueError as error:
                        bad.add(Problem(where=f"{path}:{number}", what=str(error)))
                start += size
        if bad.count:
            raise bad.error(path, "a row has a prompt and completions; fix them")
        if not self._places:
            raise UserError("it has no rows", where=path)

    def __contains__(self, row_id: object) -> bool:
        return row_id in self._places

    def __len__(self) -> int:
        return len(self._places)

    def ids(self) -> Iterator[str]:
        """Return the ids in the order of the file."""
        return iter(self._places)

    def read(self, row_id: str) -> Group:
        """Read the row with this id. A JobError if the file has changed since it was opened."""
        number, start = self._places[row_id]
        place = f"{self.path}:{number}"
        with open(self.path, "rb") as file:
            file.seek(start)
            try:
                return self._group(file.readline(), place)
            except ValueError as error:
                raise JobError(f"{place}: the file changed while it was read: {error}") from error

    def _group(self, line: bytes, place: str) -> Group:
        row = parse_row(line, place, any_text=True)
        if isinstance(row, Problem):
            raise ValueError(row.what)
        return to_group(row, self._columns, place)
