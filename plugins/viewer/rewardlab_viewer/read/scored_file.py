"""The output of `rewardlab score` as lines of a ledger: a group for each row."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from rewardlab.data import read_lines
from rewardlab.errors import UserError
from rewardlab_studies.output_check import check_output

from rewardlab_viewer.read.source import Line, Source

PHASE = "scored"
COMMON = {"attempt": 0, "stage": 0, "step": None, "trained": "no", "phase": PHASE}


class ScoredSource(Source):
    """A file that `score` wrote. It has texts only if its rows also hold `prompt` and `completions`."""

    def __init__(self, path: Path) -> None:
        """Raise a UserError if the first row is not one that `score` wrote."""
        super().__init__(name=path.name)
        self._path = path
        for _, row in read_lines(path):
            if not isinstance(row, Mapping):
                raise UserError("is no JSON lines; name a run's folder, or a file that `score` wrote", where=str(path))
            try:
                check_output(row)
            except ValueError as error:
                what = f"is no file that `score` wrote ({error}); name one, or the folder of a run"
                raise UserError(what, where=str(path)) from error
            return
        raise UserError("has no rows", where=str(path))

    def lines(self) -> Iterator[Line]:
        """Yield a line for each completion. See Source."""
        bad = 0
        for number, (_, row) in enumerate(read_lines(self._path)):
            try:
                if not isinstance(row, Mapping):
                    raise ValueError("not an object")
                check_output(row)
            except ValueError:
                bad += 1
                continue
            yield from _lines(number, row)
        if bad:
            self.notes.append(f"{bad:,} rows of {self._path.name} are not what `score` wrote, and are left out.")


def _lines(number: int, row: Line) -> Iterator[Line]:
    texts = row.get("completions")
    texts = texts if isinstance(texts, list) and len(texts) == len(row["total"]) else [None] * len(row["total"])
    for index, total in enumerate(row["total"]):
        text = texts[index].get("text") if isinstance(texts[index], Mapping) else texts[index]
        components = {
            name: {key: column[index] for key, column in columns.items() if isinstance(column, list)}
            for name, columns in row["components"].items()
        }
        asked = {"prompt": row.get("prompt"), "fields": row.get("fields") or {}} if index == 0 else {}
        line = {**COMMON, "group": number, "index": index, "id": str(row["id"]), **asked, "completion": text}
        yield line | {"components": components, "total": total, "shaped": row["shaped"][index]}
