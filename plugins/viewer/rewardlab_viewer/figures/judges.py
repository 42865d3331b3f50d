"""The tables about judges: questions and costs, and how consistent comparisons were."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines

COUNTS = ("calls", "reused", "retries", "failed", "prompt_tokens", "completion_tokens", "usd")
COUNTED = ("calls", "comparisons", "ties", "unparsable", "failed", "triples", "intransitive")
SUMMED = {*COUNTED, "position_bias", "order_agreement"}
"""what a reward that compares says of a group, as pairwise/win_rate does"""
MAX_LANGUAGE = 40
SHOWN = ("groups", "position bias", "orders agree", "cyclic triples", "ties", "unparsable", "failed")


def usage_table(path: Path | None) -> Iterator[list[str]]:
    """Yield a head and a line a judge, from a run's usage.jsonl; nothing if no judge in a network was asked."""
    sums: dict[str, dict[str, float]] = {}
    for _, row in read_lines(path) if path is not None else ():
        if isinstance(row, Mapping):
            of_judge = sums.setdefault(row["judge"], dict.fromkeys(COUNTS, 0))
            for name in COUNTS:
                of_judge[name] += row[name]
    if sums:
        yield ["judge", *(name.replace("_", " ") for name in COUNTS)]
    for judge, counted in sums.items():
        yield [judge, *(f"{counted[name]:,.4f}" if name == "usd" else f"{counted[name]:,.0f}" for name in COUNTS)]


class JudgeConsistency:
    """The consistency of the comparisons in a ledger's groups, by component, and by language if there are several."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], _ConsistencySums] = defaultdict(_ConsistencySums)

    def add(self, line: Mapping[str, Any]) -> None:
        """Take one line of the ledger into account; the first line of a group is about all of it."""
        if line["index"] != 0:
            return
        fields = line.get("fields")
        language = fields.get("language") if isinstance(fields, Mapping) else None
        for name, score in line["components"].items():
            group = (score.get("info") or {}).get("group")
            if isinstance(group, Mapping) and group.keys() >= SUMMED:
                self._sums[name, ""].add(group)
                if isinstance(language, str):
                    self._sums[name, language[:MAX_LANGUAGE]].add(group)

    def table(self) -> Iterator[list[str]]:
        """Yield a head and a line a component; nothing if none compares in pairs."""
        names = [name for name, language in self._sums if not language]
        if names:
            yield ["component", "language", *SHOWN]
        for name in names:
            yield [name, "all", *self._sums[name, ""].cells()]
            languages = sorted(language for of, language in self._sums if of == name and language)
            for language in languages if len(languages) > 1 else ():
                yield [name, language, *self._sums[name, language].cells()]


class _ConsistencySums:
    """The sums over the groups of one component."""

    def __init__(self) -> None:
        self._groups = 0
        self._counts: dict[str, float] = defaultdict(float)
        self._bias, self._agreement = _Mean(), _Mean()

    def add(self, group: Mapping[str, Any]) -> None:
        self._groups += 1
        for name in COUNTED:
            self._counts[name] += group[name]
        self._bias.add(group["position_bias"])
        self._agreement.add(group["order_agreement"])

    def cells(self) -> list[str]:
        counts, bias = self._counts, self._bias.value()
        return [
            f"{self._groups:,}",
            "–" if bias is None else f"{bias:+.2f}",
            _share(self._agreement.value(), 1),
            _share(counts["intransitive"], counts["triples"]),
            _share(counts["ties"], counts["comparisons"]),
            _share(counts["unparsable"], counts["calls"]),
            _share(counts["failed"], counts["calls"]),
        ]


class _Mean:
    """The mean of the values so far that are not None."""

    def __init__(self) -> None:
        self._sum = 0.0
        self._count = 0

    def add(self, value: float | None) -> None:
        if value is not None:
            self._sum += value
            self._count += 1

    def value(self) -> float | None:
        return self._sum / self._count if self._count else None


def _share(part: float | None, whole: float) -> str:
    return "–" if part is None or not whole else f"{part / whole:.1%}"
