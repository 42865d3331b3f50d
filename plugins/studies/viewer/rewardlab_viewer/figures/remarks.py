"""The counts of remarks that rewards made in `info`: texts cut, translations that failed, and the like."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class RemarkCounts:
    """The counts of the remarks in a ledger's lines.

    Args:
        remarks: of each component, the keys of `info` that count (RewardSpec.remarks).
    """

    def __init__(self, remarks: Mapping[str, Sequence[str]]) -> None:
        self._remarks = remarks
        self._scored: Counter[str] = Counter()
        self._made: Counter[tuple[str, str]] = Counter()

    def add(self, line: Mapping[str, Any]) -> None:
        """Count the remarks in one line of the ledger."""
        for name, score in line["components"].items() if self._remarks else ():
            self._scored[name] += 1
            self._made.update((name, key) for key in self._remarks.get(name, ()) if (score.get("info") or {}).get(key))

    def table(self) -> Iterator[list[str]]:
        """Yield a head and a line for each remark that a component made; nothing if there is none."""
        if self._made:
            yield ["component", "remark", "completions", "share"]
        for (name, key), count in sorted(self._made.items()):
            yield [name, key.replace("_", " "), f"{count:,}", f"{count / self._scored[name]:.1%}"]
