"""The settings of a job for all of its judges."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def _silent(text: str) -> None:
    """Say nothing, for jobs that have no one to tell."""


@dataclass(frozen=True, kw_only=True)
class JudgingSettings:
    """The settings of a job for all of its judges.

    folder: where answers and usage are kept; None: nowhere. stop_on_unparsable: whether answers that cannot be read
    end the job; otherwise `say` gets a warning.
    """

    folder: Path | None = None
    stop_on_unparsable: bool = False
    say: Callable[[str], None] = _silent
