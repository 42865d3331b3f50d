"""Counts of what rewards put into `info`: texts cut, translations that failed, and the like."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class CountedInfo:
    """Counts of the keys of `info` in a ledger's lines.

    Args:
        keys: of each component, the keys of `info` that count (RewardSpec.counted_info).
    """

    def __init__(self, keys: Mapping[str, Sequence[str]]) -> None:
        self._keys = keys
        self._scored: Counter[str] = Counter()
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, line: Mapping[str, Any]) -> None:
        """Count the keys in one line of the ledger."""
        for name, score in line["components"].items() if self._keys else ():
            self._scored[name] += 1
            self._counts.update((name, key) for key in self._keys.get(name, ()) if (score.get("info") or {}).get(key))

    def table(self) -> Iterator[list[str]]:
        """Yield a head and a line for each key that a component gave; nothing if there is none."""
        if self._counts:
            yield ["component", "counted", "completions", "share"]
        for (name, key), count in sorted(self._counts.items()):
            yield [name, key.replace("_", " "), f"{count:,}", f"{count / self._scored[name]:.1%}"]
