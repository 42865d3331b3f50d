"""The tables about judges: questions and costs, and how consistent comparisons were.

The position bias has a 95% interval, in which the groups of a problem count together.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines
from rewardlab_studies.tables import TableAverage, clustered_average

from rewardlab_viewer.read.columns import number, problem_of

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
        fields = fields if isinstance(fields, Mapping) else {}
        language, problem = fields.get("language"), hash(problem_of(line))
        for name, score in line["components"].items():
            group = (score.get("info") or {}).get("group")
            if isinstance(group, Mapping) and group.keys() >= SUMMED:
                self._sums[name, ""].add(group, problem)
                if isinstance(language, str):
                    self._sums[name, language[:MAX_LANGUAGE]].add(group, problem)

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
    """The sums over the groups of one component, and of each group its position bias and its problem."""

    def __init__(self) -> None:
        self._groups = 0
        self._counts: dict[str, float] = defaultdict(float)
        self._bias: list[float] = []
        self._problems: list[int] = []
        self._agreement: list[float] = []

    def add(self, group: Mapping[str, Any], problem: int) -> None:
        self._groups += 1
        for name in COUNTED:
            self._counts[name] += _known(group[name], 0.0)
        if (bias := _known(group["position_bias"], None)) is not None:
            self._bias.append(bias)
            self._problems.append(problem)
        if (agreement := _known(group["order_agreement"], None)) is not None:
            self._agreement.append(agreement)

    def cells(self) -> list[str]:
        counts = self._counts
        return [
            f"{self._groups:,}",
            _with_interval(clustered_average(self._bias, self._problems, "difference")),
            _share(sum(self._agreement) / len(self._agreement), 1) if self._agreement else "–",
            _share(counts["intransitive"], counts["triples"]),
            _share(counts["ties"], counts["comparisons"]),
            _share(counts["unparsable"], counts["calls"]),
            _share(counts["failed"], counts["calls"]),
        ]


def _known(value: Any, otherwise: Any) -> Any:
    """Return a finite number as it is; info may hold anything."""
    found = number(value)
    return found if found == found else otherwise


def _with_interval(average: TableAverage | None) -> str:
    if average is None:
        return "–"
    spread = "" if average.low is None else f" ({average.low:+.2f} to {average.high:+.2f})"
    return f"{average.mean:+.2f}{spread}"


def _share(part: float, whole: float) -> str:
    return "–" if not whole else f"{part / whole:.1%}"
