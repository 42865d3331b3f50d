"""What a job does with its judges."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def _silent(text: str) -> None:
    """For jobs that have nobody to tell."""


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """What a job does with its judges: answers and usage are kept in `folder`, where there is one.

    stop_on_form: whether answers that cannot be read end the job; else `say` gets a warning.
    """

    folder: Path | None = None
    stop_on_form: bool = False
    say: Callable[[str], None] = _silent
