"""Rows that were left out: counted, reported, and too many of them stop the job."""

import logging
from collections import Counter
from dataclasses import dataclass

from rewardlab.errors import JobError

log = logging.getLogger("rewardlab.language")

ENOUGH = 50
"""So many rows must have been tried before their share of failures says anything."""
EXAMPLES = 3


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """One row. `fault` says whose fault it is: the translator's, or the source's (nothing was asked then)."""

    where: str
    language: str
    reason: str
    detail: str
    fault: str


class Tally:
    """Counts the rows of one pass, in their order."""

    def __init__(self, most: float):
        self._most = most
        self._kept = 0
        self._reasons: Counter[tuple[str, str]] = Counter()
        self._failed: list[Dropped] = []

    def keep(self) -> None:
        self._kept += 1

    def drop(self, row: Dropped) -> None:
        """Raises JobError once more than the given share of at least ENOUGH rows is the translator's fault."""
        self._reasons[row.reason, row.language] += 1
        if row.fault != "translator":
            return
        self._failed.append(row)
        tried = self._kept + len(self._failed)
        if tried >= ENOUGH and len(self._failed) > self._most * tried:
            raise JobError(f"{_examples(self._failed, tried)}; more than max_dropped: {self._most:g} allows")

    def close(self, unanswered: int) -> None:
        """The end of the rows: a warning that counts what was dropped; JobError if the translator left none.

        unanswered: questions that had no answer.
        """
        if self._failed and not self._kept:
            raise JobError(_examples(self._failed, len(self._failed)))
        dropped = self._reasons.total()
        if dropped:
            listed = "; ".join(f"{count} {code}: {reason}" for (reason, code), count in sorted(self._reasons.items()))
            log.warning("language/translated: %d of %d rows dropped: %s", dropped, self._kept + dropped, listed)
        if unanswered:
            log.warning("language/translated: %d questions had no answer; other candidates did", unanswered)


def _examples(failed: list[Dropped], tried: int) -> str:
    shown = "; ".join(f"{row.where} ({row.language}): {row.detail}" for row in failed[:EXAMPLES])
    return f"language/translated: {len(failed)} of {tried} rows could not be translated: {shown}"
