"""One reading of a run's ledger for all parts of the report that come from it.

Each part keeps no more than sums or the few lines that the page shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from rewardlab_studies.ledger.parts import LedgerPart
from rewardlab_studies.ledger.scan import readable_lines


class LinePart(Protocol):
    """A part of the report that is made from the lines of a ledger."""

    def add(self, line: Mapping[str, Any]) -> None:
        """Take one line into account."""


def passing_lines(ledger: Sequence[LedgerPart], parts: Sequence[LinePart]) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of a ledger in their order, each after all `parts` have taken it; none if there is none."""
    for line in readable_lines(ledger):
        for part in parts:
            part.add(line)
        yield line
