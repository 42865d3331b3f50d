"""The settings of a job for all of its judges."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rewardlab.judging.limits import Limits
from rewardlab.judging.reply_cache import ReplyStore
from rewardlab.recipe.use import JudgeUse


def _silent(text: str) -> None:
    """Say nothing, for jobs without a reader."""


class JudgeSharing(Protocol):
    """The parts that one of several processes has of judges that all of them ask."""

    def limits(self, name: str, settings: JudgeUse, most_tokens: int | None) -> Limits:
        """Return this process's part of a judge's limits. most_tokens: of an answer, as its specification says."""

    def replies(self, name: str) -> ReplyStore | None:
        """Return the replies that all processes share; None if none are kept."""


@dataclass(frozen=True, kw_only=True)
class JudgingSettings:
    """The settings of a job for all of its judges.

    folder: where answers and usage are kept; None: nowhere. stop_on_unparsable: whether answers that cannot be read
    end the job; otherwise `say` gets a warning. stop_on_refusals: whether a server that refuses also a small question,
    after several refusals in a row, ends the job. sharing: where other processes ask the same judges; limits, budgets
    and answers are then theirs, too, and `folder` is not used.
    """

    folder: Path | None = None
    stop_on_unparsable: bool = False
    stop_on_refusals: bool = False
    say: Callable[[str], None] = _silent
    sharing: JudgeSharing | None = None
