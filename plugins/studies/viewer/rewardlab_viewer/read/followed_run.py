"""The folder of a run that is read again and again: of its ledger each reading has what has come since the last one."""

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from rewardlab.errors import Problem
from rewardlab_records.ledger import GrowingLedger
from rewardlab_training import ReplacedFile

from rewardlab_viewer.read.run_folder import NOTES, RunFolder, is_run_held
from rewardlab_viewer.read.source import TRAINING, Line, groups_of

FOLDERS = ("", "logs", "evaluation")
"""in which a run writes what a page shows"""


class FollowedRun(RunFolder):
    """The folder of a run that goes on, or may go on again. Whoever gets a ReplacedFile begins with a new one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._growing = GrowingLedger(path)
        self._rest: list[Line] = []

    @property
    def incomplete(self) -> bool:
        """Whether a group waits for the next reading, which tells whether it is whole."""
        return bool(self._rest)

    def lines(self) -> Iterator[Line]:
        """Yield the lines that are new. ReplacedFile if they replace earlier ones. See Source."""
        for _, row in self._growing.rows():
            if not isinstance(row, Problem) and self.current.add(row):
                raise ReplacedFile
            yield from self._counted(row)

    def new_groups(self) -> Iterator[list[Line]]:
        """Yield the groups that are new and whole.

        The last one may still lack lines; it counts once another follows it, the run has ended, or nothing has come.
        """
        before, last = len(self._rest), None
        for group in groups_of(chain(self._rest, self.lines())):
            if last is not None:
                yield last
                before = 0
            last = group
        self._rest = [] if last is None or self.state == "ended" or len(last) == before else last
        self.expected = {part: count - self._held(*part) for part, count in self._expected.items()}
        if last is not None and not self._rest:
            yield last

    def _held(self, stage: int, phase: str) -> int:
        """Return how many completions of logged steps wait: those that `expected` counts, and no figure does yet."""
        logged = {step for log in self.logs if log.name.startswith(f"{stage}-") for step in log.steps}
        return sum(
            line["stage"] == stage and line["trained"] == "yes" and line["step"] in logged and phase == TRAINING
            for line in self._rest
        )

    def read_records(self) -> None:
        """Read everything but the ledger, as it is now."""
        super().read_records()
        self._expected = self.expected
        if NOTES["goes on"] in self.notes:
            self.notes.remove(NOTES["goes on"])  # this page goes on, too

    def note_lines(self) -> None:
        """Add what is to be said of the ledger's lines; of a run that goes on, a torn one is none of it."""
        self._note_lines(self._growing.torn and self.state != "goes on")


def signature(path: Path) -> tuple[float, bool | None, frozenset[tuple[str, int, int]]]:
    """Return when something of a run was last written, in seconds, and what changes with all that becomes of it."""
    files = [file for name in FOLDERS for file in _files(path / name)]
    marks = frozenset((name, status.st_mtime_ns, status.st_size) for name, status in files)
    return max((status.st_mtime for _, status in files), default=0.0), is_run_held(path), marks


def _files(folder: Path) -> list[tuple[str, os.stat_result]]:
    """Return the files of a folder that are written to their end; none if it is gone, or one just goes."""
    try:
        with os.scandir(folder) as entries:
            return [(e.path, e.stat()) for e in entries if not e.name.startswith(".") and e.is_file()]
    except OSError:
        return []
