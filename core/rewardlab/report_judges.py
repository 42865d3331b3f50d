"""The report's part about judges: what was asked and paid, and how consistent the comparisons were."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab.lines import read_lines

COUNTS = ("calls", "reused", "retries", "failed", "prompt_tokens", "completion_tokens", "usd")
SHOWN = ("groups", "position bias", "orders agree", "cyclic triples", "ties", "unparsable", "failed")


def usage_table(path: Path) -> Iterator[list[str]]:
    """A head and a line a judge, from a run's usage.jsonl; nothing where no judge with a network was asked."""
    sums: dict[str, dict[str, float]] = {}
    for _, row in read_lines(path) if path.exists() else ():
        if isinstance(row, Mapping):
            of_judge = sums.setdefault(row["judge"], dict.fromkeys(COUNTS, 0))
            for name in COUNTS:
                of_judge[name] += row[name]
    if sums:
        yield ["judge", *(name.replace("_", " ") for name in COUNTS)]
    for judge, counted in sums.items():
        yield [judge, *(f"{counted[name]:,.4f}" if name == "usd" else f"{counted[name]:,.0f}" for name in COUNTS)]


def consistency_table(ledger: Path) -> Iterator[list[str]]:
    """A head and a line a component, from the groups of a run's ledger; nothing where none compares in pairs."""
    sums: dict[str, _Sums] = defaultdict(_Sums)
    for _, row in read_lines(ledger) if ledger.exists() else ():
        if isinstance(row, Mapping) and row["index"] == 0:
            for name, score in row["components"].items():
                if isinstance(group := score["info"].get("group"), Mapping) and "comparisons" in group:
                    sums[name].add(group)
    if sums:
        yield ["component", *SHOWN]
    for name, of_component in sums.items():
        yield [name, *of_component.cells()]


class _Sums:
    """Over the groups of one component."""

    def __init__(self) -> None:
        self._groups = 0
        self._counts: dict[str, float] = defaultdict(float)
        self._means: dict[str, list[float]] = {"position_bias": [], "order_agreement": []}

    def add(self, group: Mapping[str, Any]) -> None:
        self._groups += 1
        for name in ("calls", "comparisons", "ties", "unparsable", "failed", "triples", "intransitive"):
            self._counts[name] += group[name]
        for name, values in self._means.items():
            if group[name] is not None:
                values.append(group[name])

    def cells(self) -> list[str]:
        of = self._counts
        bias, agreement = (sum(v) / len(v) if v else None for v in self._means.values())
        return [
            f"{self._groups:,}",
            "–" if bias is None else f"{bias:+.2f}",
            _share(agreement, 1),
            _share(of["intransitive"], of["triples"]),
            _share(of["ties"], of["comparisons"]),
            _share(of["unparsable"], of["calls"]),
            _share(of["failed"], of["calls"]),
        ]


def _share(part: float | None, whole: float) -> str:
    return "–" if part is None or not whole else f"{part / whole:.1%}"
