"""The groups of a run's last evaluation, whose completions the report shows."""

from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab_studies.ledger.superseded_steps import is_discarded


class LastGroups:
    """The last groups that were evaluated, with all their lines of the ledger; no more than `most` are kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lines: dict[tuple[int, int], list[Mapping[str, Any]]] = {}

    def add(self, line: Mapping[str, Any]) -> None:
        """Keep a line of the ledger if its group is one of the last."""
        if line["trained"] != "no" or is_discarded(line):
            return
        self._lines.setdefault((line["attempt"], line["group"]), []).append(line)
        if len(self._lines) > self._most:
            del self._lines[min(self._lines)]

    def groups(self) -> list[Sequence[Mapping[str, Any]]]:
        """Return the lines of each group, the last group first."""
        return [self._lines[key] for key in sorted(self._lines, reverse=True)]
