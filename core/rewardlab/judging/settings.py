"""The settings of a job for all of its judges."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rewardlab.judging.share import WHOLE, Share


def _silent(text: str) -> None:
    """Say nothing, for jobs without a reader."""


@dataclass(frozen=True, kw_only=True)
class JudgingSettings:
    """The settings of a job for all of its judges.

    Args:
        folder: where answers and usage are kept; None: nowhere.
        stop_on_unparsable: whether answers that cannot be read end the job; otherwise `say` gets a warning.
        stop_on_refusals: whether a server that refuses also a small question, after several refusals in a row, ends
            the job.
        share: this process's part of the judges' limits and budgets, where others ask the same judges; each of them
            keeps its answers and counts in files of its own in `folder`.
    """

    folder: Path | None = None
    stop_on_unparsable: bool = False
    stop_on_refusals: bool = False
    say: Callable[[str], None] = _silent
    share: Share = WHOLE
