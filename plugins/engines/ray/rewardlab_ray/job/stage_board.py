"""The steps of a stage at the foot of the terminal where the job was started, from what its processes write."""

from collections.abc import Mapping
from pathlib import Path

from rewardlab.data import parse_row
from rewardlab.text import has_foot
from rewardlab_training import GrowingFile, ReplacedFile, StepBoard


class StageBoard:
    """The board of a stage, which appears with the first step that the engine reports.

    log: the numbers of steps that the scorers write, with judges and what they cost. Where this machine does not see
    it, the board has the rewards alone that the scorers say.
    """

    def __init__(self, stage: str, log: Path) -> None:
        self._stage, self._log = stage, GrowingFile(log)
        self._board: StepBoard | None = None

    @classmethod
    def at_terminal(cls, stage: str, log: Path) -> "StageBoard | None":
        """Return a board; None if there is no terminal for it."""
        return cls(stage, log) if has_foot() else None

    def close(self) -> None:
        """Leave the board as it is."""
        if self._board is not None:
            self._board.close()

    def warn(self, line: str) -> None:
        """Show a line that was said, if it is a warning."""
        if self._board is not None and line.startswith("warning: "):
            self._board.warn(line.removeprefix("warning: "))

    def show(self, step: int, numbers: Mapping[str, float], steps: int | None) -> None:
        """Show a step that the engine reports, of so many."""
        if self._board is None:
            self._board = StepBoard(self._stage, steps, initial=step)
        self._board.note_step(step, numbers)
        try:
            for place, line in self._log.lines():
                row = parse_row(line, place)
                if isinstance(row, Mapping) and type(row.get("step")) is int:
                    self._board.note_step(row["step"], row)
        except (ReplacedFile, OSError):
            pass  # the numbers that the scorers say are shown
        self._board.move_to(step)
