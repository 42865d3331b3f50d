"""Rows that a data step leaves out: counted by reason, told with examples, and too many of them stop the job."""

import logging
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from rewardlab.errors import JobError

log = logging.getLogger("rewardlab.dropped")

ENOUGH = 50
"""So many rows must have been tried before their share of failures says anything."""
EXAMPLES = 3


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """One row that is left out.

    kind: what else than the reason the rows are counted by, such as a language; "" for nothing.
    fault: whose it is: the judge's, or the source's, where nothing was asked.
    """

    where: str
    kind: str = ""
    reason: str
    detail: str
    fault: Literal["judge", "source"]


class Tally:
    """Counts the rows of one pass of the step `use`, in their order.

    most: the share of the rows asked about that may be the judge's fault. what: what could not be done with
    them ("could not be translated").
    """

    def __init__(self, use: str, most: float, what: str):
        self._use, self._most, self._what = use, most, what
        self._kept = 0
        self._reasons: Counter[tuple[str, str]] = Counter()
        self._failed: list[Dropped] = []

    def keep(self) -> None:
        self._kept += 1

    def drop(self, row: Dropped) -> None:
        """Raises JobError once more than `most` of at least ENOUGH rows are the judge's fault."""
        self._reasons[row.kind, row.reason] += 1
        if row.fault != "judge":
            return
        self._failed.append(row)
        tried = self._kept + len(self._failed)
        if tried >= ENOUGH and len(self._failed) > self._most * tried:
            raise JobError(f"{self._told(tried)}; more than max_dropped: {self._most:g} allows")

    def close(self, unanswered: int) -> None:
        """The end of the rows: a warning that counts what was dropped; JobError if the judge left none.

        unanswered: questions that had no answer.
        """
        if self._failed and not self._kept:
            raise JobError(self._told(len(self._failed)))
        dropped = self._reasons.total()
        if dropped:
            reasons = sorted(self._reasons.items(), key=lambda item: (item[0][1], item[0][0]))
            listed = "; ".join(f"{' '.join(filter(None, (str(n), kind)))}: {why}" for (kind, why), n in reasons)
            first = f"; first: {_examples(self._failed)}" if self._failed else ""
            log.warning("%s: %d of %d rows dropped: %s%s", self._use, dropped, self._kept + dropped, listed, first)
        if unanswered:
            log.warning("%s: %d questions had no answer; others about the same rows did", self._use, unanswered)

    def _told(self, tried: int) -> str:
        return f"{self._use}: {len(self._failed)} of {tried} rows {self._what}: {_examples(self._failed)}"


def _examples(failed: list[Dropped]) -> str:
    return "; ".join(f"{row.where}{f' ({row.kind})' if row.kind else ''}: {row.detail}" for row in failed[:EXAMPLES])
