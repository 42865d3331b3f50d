"""The numbers of each step as the engine reports them, beside those of the rewards: logs/STAGE_engine.jsonl."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

from rewardlab.files import LineAppender


class EngineNumbers:
    """A file with a line of JSON for each step that an engine reports, here where the job was started. Close it."""

    def __init__(self, folder: Path, stage: str, attempt: int) -> None:
        self._file, self._attempt = LineAppender(folder / f"{stage}_engine.jsonl"), attempt

    def write(self, step: int, numbers: Mapping[str, float]) -> None:
        """Write the numbers of a step, null for those that are not finite."""
        known = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        self._file.write(f"{json.dumps({'attempt': self._attempt, 'step': step, **known})}\n".encode())

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()
