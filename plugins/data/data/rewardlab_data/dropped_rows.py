"""Rows that a data step leaves out: counted by reason, reported with examples; too many of them stop the job."""

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeGuard, TypeVar

from rewardlab import Reply
from rewardlab.errors import JobError

log = logging.getLogger("rewardlab.dropped")  # users filter by this name

T = TypeVar("T")
ENOUGH = 50
"""The number of rows that must have been tried before their share of failures means anything."""
EXAMPLES = 3
REFUSED = "refused by the server"
"""the reason of a row about which a server will never answer, such as one that is too long for it"""


@dataclass(frozen=True, kw_only=True)
class DroppedRow:
    """A row that is left out.

    Args:
        kind: what the rows are counted by besides the reason, such as a language; "" for nothing.
        fault: whose fault it is: the judge's; or the source's, in which case the judge was not asked.
    """

    where: str
    kind: str = ""
    reason: str
    detail: str
    fault: Literal["judge", "source"]


def refusal(replies: Iterable[Reply]) -> str | None:
    """Return the error of the first of some replies by which a server refused its question for good; None for none."""
    return next((reply.error for reply in replies if reply.refused), None)


class DroppedRows:
    """A count of the rows of one pass of the step `use`, kept and dropped, in their order.

    Args:
        most: of the rows that the judge was asked about, the share, in [0, 1], that may be dropped through its
            fault.
        what: what could not be done with them ("could not be translated").
    """

    def __init__(self, use: str, most: float, rows: str) -> None:
        self._use, self._most, self._rows = use, most, rows
        self._kept = 0
        self._reasons: Counter[tuple[str, str]] = Counter()
        self._failed: list[DroppedRow] = []

    def keeps(self, row: T | DroppedRow) -> TypeGuard[T]:
        """Count what became of a row; return whether it stays.

        Raises JobError once at least ENOUGH rows were tried and more than `most` of them are the judge's fault.
        """
        if not isinstance(row, DroppedRow):
            self._kept += 1
            return True
        self._reasons[row.kind, row.reason] += 1
        if row.fault == "judge":
            self._failed.append(row)
            tried = self._kept + len(self._failed)
            if tried >= ENOUGH and len(self._failed) > self._most * tried:
                raise JobError(f"{self._describe_failures(tried)}; more than max_dropped: {self._most:g} allows")
        return False

    def close(self, unanswered: int) -> None:
        """Log a warning that counts the dropped rows, at the end of all rows. Raises JobError if the judge left none.

        Args:
            unanswered: the number of questions that had no answer.
        """
        if self._failed and not self._kept:
            raise JobError(self._describe_failures(len(self._failed)))
        dropped = self._reasons.total()
        if dropped:
            reasons = sorted(self._reasons.items(), key=lambda item: (item[0][1], item[0][0]))
            listed = "; ".join(f"{' '.join(filter(None, (str(n), kind)))}: {why}" for (kind, why), n in reasons)
            first = f"; first: {_list_examples(self._failed)}" if self._failed else ""
            log.warning("%s: %d of %d rows dropped: %s%s", self._use, dropped, self._kept + dropped, listed, first)
        if unanswered:
            log.warning("%s: %d questions had no answer; others about the same rows did", self._use, unanswered)

    def _describe_failures(self, tried: int) -> str:
        return f"{self._use}: {len(self._failed)} of {tried} rows {self._rows}: {_list_examples(self._failed)}"


def _list_examples(failed: list[DroppedRow]) -> str:
    return "; ".join(f"{row.where}{f' ({row.kind})' if row.kind else ''}: {row.detail}" for row in failed[:EXAMPLES])
