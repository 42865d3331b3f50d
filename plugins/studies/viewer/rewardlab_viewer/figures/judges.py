"""The tables about judges: questions and costs, how consistent comparisons were, and who won them.

The position bias and kappa have 95% intervals, in which the groups of a problem count together.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from rewardlab import Score
from rewardlab.data import read_lines
from rewardlab.files import read_json
from rewardlab.text import counted
from rewardlab_measure.judge_agreement import judge_calls, kappa_average
from rewardlab_measure.tables import TableAverage, clustered_average

from rewardlab_viewer.read.columns import problem_of
from rewardlab_viewer.read.source import number

COUNTS = ("calls", "reused", "retries", "failed", "prompt_tokens", "completion_tokens", "usd")
COUNTED = ("calls", "comparisons", "ties", "unparsable", "failed", "triples", "intransitive")
SUMMED = {*COUNTED, "position_bias", "order_agreement"}
"""what a reward that compares says of a group, as pairwise/win_rate does"""
FILE = re.compile(r"(.+)\.usage(?:\.\d+-of-\d+)?\.json")
"""the name of a file that says what a judge was asked"""
MAX_LANGUAGE = 40
WINNERS = ("A", "B")
WINS = {"the first won": ("A",), "the second won": ("B",), "neither won": ("tie", "both_bad")}
WINS |= {"unparsable": ("unparsable",), "failed": ("failed",)}
"""what became of a comparison -> the verdicts that say so"""
VERDICTS = {verdict for verdicts in WINS.values() for verdict in verdicts}
PLACES = ("the more correct", "one as correct", "the less correct")
CONSISTENCY = ("groups", "position bias", "orders agree", "their kappa", "kappa with correctness", "cyclic triples")
Labels = tuple[bool, bool]
SHOWN = (*CONSISTENCY, "ties", "unparsable", "failed")


def usage_table(path: Path | None, judges: Path | None, notes: list[str]) -> Iterator[list[str]]:
    """Yield a head and a line a judge; nothing if no judge in a network was asked.

    Args:
        path: a run's usage.jsonl, of whole steps.
        judges: the folder in which a job keeps what each judge was asked in all, also by attempts that were killed
            within a step.
    """
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    bad = 0
    for _, row in read_lines(path) if path is not None else ():
        numbers, judge = _counted(row), row.get("judge") if isinstance(row, Mapping) else None
        if numbers is None or not isinstance(judge, str):
            bad += 1
        else:
            sums[judge].update(numbers)
    if bad:
        notes.append(
            f"{counted(bad, 'line')} of usage.jsonl cannot be read: judges were asked more than is counted here."
        )
    for judge, whole in _asked_in_all(judges, notes).items() if judges is not None else ():
        sums[judge] = max(sums[judge], whole, key=lambda counts: counts["calls"] + counts["reused"] + counts["failed"])
    asked = {judge: counts for judge, counts in sums.items() if any(counts.values())}
    if asked:
        yield ["judge", *(name.replace("_", " ") for name in COUNTS), "seconds an answer"]
    for judge, row in asked.items():
        cells = [f"{row[name]:,.4f}" if name == "usd" else f"{row[name]:,.0f}" for name in COUNTS]
        yield [judge, *cells, f"{row['seconds'] / row['answers']:.2f}" if row["answers"] else "–"]


def _asked_in_all(folder: Path, notes: list[str]) -> Mapping[str, Counter[str]]:
    """Return what each judge was asked, by the files of the job and of its scorers that have a share of the judge."""
    rows: dict[str, Any] = {}
    for file in sorted(folder.glob("*.json")):
        if FILE.fullmatch(file.name):
            try:
                rows[file.name] = read_json(file)
            except (OSError, ValueError):
                rows[file.name] = None
    settled = [row.get("settled") for row in rows.values() if isinstance(row, Mapping)]
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    for name, row in rows.items():
        if any(isinstance(names, list) and name in names for names in settled):  # its counts are in the job's own file
            continue
        if (numbers := _counted(row)) is None:
            notes.append(f"judges/{name} cannot be read: judges may have been asked more than is counted here.")
        else:
            asked[unquote(FILE.sub(r"\1", name))].update(numbers)
    return asked


def _counted(row: Any) -> Counter[str] | None:
    """Return the counts in a record; None if it has others. An earlier version told no seconds."""
    if not isinstance(row, Mapping):
        return None
    names = (*COUNTS, *(("answers", "seconds") if "seconds" in row else ()))
    counts = {name: number(row.get(name)) for name in names}
    return Counter(counts) if all(value >= 0 for value in counts.values()) else None


class JudgeConsistency:
    """The consistency of the comparisons in a ledger's groups, by component, and by language if there are several.

    Args:
        correctness: the component that says which completion is right; None if there is none.
    """

    def __init__(self, correctness: str | None = None) -> None:
        self._sums: dict[tuple[str, str], _ConsistencySums] = defaultdict(_ConsistencySums)
        self._correctness = correctness

    def add(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Take a group into account; its first line of an answer, which a failed rollout is not, is about all of it."""
        first = lines[0]
        fields = first.get("fields")
        fields = fields if isinstance(fields, Mapping) else {}
        language, problem = fields.get("language"), hash(problem_of(first))
        known_language = language[:MAX_LANGUAGE] if isinstance(language, str) else None
        for name in first["components"]:
            infos = ((line["components"].get(name) or {}).get("info") for line in lines)
            groups = (info.get("group") for info in infos if isinstance(info, Mapping))
            group = next((own for own in groups if isinstance(own, Mapping) and own.keys() >= SUMMED), None)
            if group is not None:
                verdicts = GroupVerdicts.of(lines, name, self._correctness)
                for key in {"", known_language} - {None}:
                    self._sums[name, str(key)].add(group, problem, verdicts)

    def wins(self) -> Iterator[list[str]]:
        """Yield a head and a line for each component and what stood first: who won; nothing without correctness."""
        known = [(name, sums.wins) for (name, language), sums in self._sums.items() if not language and sums.wins]
        if known:
            yield ["component", "stood first", "verdicts", *WINS]
        for name, wins in known:
            for place in PLACES:
                counts = [sum(wins[place, verdict] for verdict in verdicts) for verdicts in WINS.values()]
                if any(counts):
                    yield [name, place, f"{sum(counts):,}", *(_share(count, sum(counts)) for count in counts)]

    def table(self) -> Iterator[list[str]]:
        """Yield a head and a line a component; nothing if none compares in pairs."""
        names = [name for name, language in self._sums if not language]
        if names:
            yield ["component", "language", *SHOWN]
        for name in names:
            yield [name, "all", *self._sums[name, ""].cells()]
            languages = sorted(language for component, language in self._sums if component == name and language)
            for language in languages if len(languages) > 1 else ():
                yield [name, language, *self._sums[name, language].cells()]


@dataclass(frozen=True, kw_only=True)
class GroupVerdicts:
    """The verdicts about one group.

    Args:
        twice: of pairs judged in both orders, whether the same answer won each time.
        right: (the verdict names the first, the first is more correct).
        wins: (what stood first, the verdict).
    """

    twice: Sequence[tuple[bool, bool]]
    right: Sequence[tuple[bool, bool]]
    wins: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, lines: Sequence[Mapping[str, Any]], name: str, correctness: str | None) -> "GroupVerdicts":
        """Read the verdicts of a component that compares."""
        infos = ((line["components"].get(name) or {}).get("info") for line in lines)
        places = {str(line["index"]): place for place, line in enumerate(lines)}  # some lines may be damaged
        calls = judge_calls([Score(info={"verdicts": _verdicts_by_place(info, places)}) for info in infos], "group")
        truth = [number((line["components"].get(correctness) or {}).get("value")) for line in lines]
        known = [
            (truth[first] - truth[second], verdict)
            for (first, second), verdict in calls.verdicts.items()
            if truth[first] == truth[first] and truth[second] == truth[second]
        ]
        return cls(
            twice=calls.lower_won(),
            right=[(verdict == "A", lead > 0) for lead, verdict in known if lead and verdict in WINNERS],
            wins=[(PLACES[1 + (lead < 0) - (lead > 0)], verdict) for lead, verdict in known],
        )


def _verdicts_by_place(info: Any, places: Mapping[str, int]) -> dict[int, str]:
    """Return the verdicts in an info, which may hold anything, by the places of the lines that are there."""
    verdicts = info.get("verdicts") if isinstance(info, Mapping) else None
    verdicts = verdicts if isinstance(verdicts, Mapping) else {}
    return {
        place: verdict
        for index, place in places.items()
        if isinstance(verdict := verdicts.get(index), str) and verdict in VERDICTS
    }


class _ConsistencySums:
    """The sums over the groups of one component, and of each group its position bias and its problem."""

    def __init__(self) -> None:
        self._groups = 0
        self._counts: dict[str, float] = defaultdict(float)
        self._bias: list[float] = []
        self._problems: list[int] = []
        self._agreement: list[float] = []
        self._twice: Counter[tuple[Labels, int]] = Counter()
        self._right: Counter[tuple[Labels, int]] = Counter()
        self.wins: Counter[tuple[str, str]] = Counter()

    def add(self, group: Mapping[str, Any], problem: int, verdicts: "GroupVerdicts") -> None:
        self._groups += 1
        self._twice.update((labels, problem) for labels in verdicts.twice)
        self._right.update((labels, problem) for labels in verdicts.right)
        self.wins.update(verdicts.wins)
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
            with_interval(clustered_average(self._bias, self._problems, "difference")),
            _share(sum(self._agreement) / len(self._agreement), 1) if self._agreement else "–",
            _kappa(self._twice),
            _kappa(self._right),
            _share(counts["intransitive"], counts["triples"]),
            _share(counts["ties"], counts["comparisons"]),
            _share(counts["unparsable"], counts["calls"]),
            _share(counts["failed"], counts["calls"]),
        ]


def _kappa(counts: Counter[tuple[Labels, int]]) -> str:
    pairs = list(counts.elements())
    return with_interval(kappa_average([labels for labels, _ in pairs], [problem for _, problem in pairs]), sign="")


def _known(value: Any, otherwise: Any) -> Any:
    """Return a finite number as it is; info may hold anything."""
    known = number(value)
    return known if known == known else otherwise


def with_interval(average: TableAverage | None, sign: str = "+") -> str:
    """Return an average with its interval behind it, as a cell."""
    if average is None:
        return "–"
    spread = "" if average.low is None else f" ({average.low:{sign}.2f} to {average.high:{sign}.2f})"
    return f"{average.mean:{sign}.2f}{spread}"


def _share(part: float, whole: float) -> str:
    return "–" if not whole else f"{part / whole:.1%}"
