"""The summary that `score` ends with: the number of rows, and each component's mean, failures and abstentions."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, Self

from rewardlab.judging.usage import Usage
from rewardlab.plan import Plan
from rewardlab.scorefile.output import lacks_part
from rewardlab.scoring.reasons import NothingGiven, ReasonCounts
from rewardlab.specs.entry_points import entry_points_of
from rewardlab.text.plural import counted

WATCHERS = "rewardlab.score_findings"
"""entry points of plugins that find what is odd about components: a name -> a function of the plan, gives a Watcher"""


class Watcher(Protocol):
    """A plugin's watch over the rows that `score` writes."""

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row of the output."""

    def findings(self) -> list[dict[str, Any]]:
        """Return what was found as JSON values; `what` is the finding in words."""


def watchers_of(plan: Plan) -> list[Watcher]:
    """Return the watchers of the plugins that are installed."""
    return [point.load()(plan) for point in entry_points_of(WATCHERS)]


@dataclass
class _Column:
    """The sums of one column over completions."""

    present: int = 0
    sum: float = 0.0
    failed: int = 0
    abstained: int = 0
    failures: ReasonCounts = field(default_factory=ReasonCounts)
    nothing: NothingGiven = field(default_factory=NothingGiven)
    counted: Counter[str] = field(default_factory=Counter)

    def add(self, values: Sequence[float | None], errors: Sequence[str | None]) -> None:
        for value, error in zip(values, errors, strict=True):
            if value is not None:
                self.present += 1
                self.sum += value
            elif error is not None:
                self.failed += 1
                self.failures.note(error)
            else:
                self.abstained += 1

    def causes(self) -> Iterator[str]:
        """Yield why it failed, and why it gave nothing to most completions, and how often: the commonest first."""
        yield from self.failures.lines("failed")
        yield from self.nothing.lines()

    @property
    def mean(self) -> float | None:
        return self.sum / self.present if self.present else None


@dataclass
class Summary:
    """A summary of the rows in an output file, in the order in which they were added, and of the judges' usage.

    Args:
        parts: the components of the total.
        partial: completions whose total is there though one of them failed or lacks an answer that it asked for.
        counted_info: component -> the keys of `info` that are counted.
        watchers: find what is odd about components.
    """

    rows: int = 0
    completions: int = 0
    partial: int = 0
    parts: Collection[str] = ()
    judges: Mapping[str, Usage] = field(default_factory=dict)
    judge_lines: Sequence[str] = ()
    counted_info: Mapping[str, Sequence[str]] = field(default_factory=dict)
    watchers: Sequence[Watcher] = ()
    _total: _Column = field(default_factory=_Column)
    _components: dict[str, _Column] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Return the summary, with no row yet, of what is scored by a plan."""
        return cls(parts=list(plan.uses_in_total), counted_info=plan.counted_info, watchers=watchers_of(plan))

    def add(self, row: Mapping[str, Any]) -> None:
        """Add an output row."""
        total = row["total"]
        self.rows += 1
        self.completions += len(total)
        self._total.add(total, [None] * len(total))
        parts = [(row["components"][name]["error"], row["components"][name]["info"]) for name in self.parts]
        for index, value in enumerate(total):
            self.partial += value is not None and any(lacks_part(e[index], i[index]) for e, i in parts)
        for name, columns in row["components"].items():
            column = self._components.setdefault(name, _Column())
            column.add(columns["value"], columns["error"])
            column.nothing.add(columns["value"], columns["info"])
            counted = self.counted_info.get(name, ())
            column.counted.update(key for info in columns["info"] for key in counted if (info or {}).get(key))
        for watcher in self.watchers:
            watcher.add(row)

    def _findings(self) -> list[dict[str, Any]]:
        return [finding for watcher in self.watchers for finding in watcher.findings()]

    def as_dict(self) -> dict[str, Any]:
        """Return counts and means as JSON values; `missing`: completions without a total."""
        return {
            "rows": self.rows,
            "completions": self.completions,
            "total": {"mean": self._total.mean, "missing": self._total.abstained, "partial": self.partial},
            "components": {
                name: {"mean": column.mean, "failed": column.failed, "abstained": column.abstained}
                | ({"failures": dict(column.failures.most_common())} if column.failed else {})
                | ({"nothing": nothing_lines} if (nothing_lines := list(column.nothing.lines())) else {})
                | (
                    {"counted_info": {key: column.counted[key] for key in keys}}
                    if (keys := self.counted_info.get(name))
                    else {}
                )
                for name, column in self._components.items()
            },
            "findings": self._findings(),
        } | ({"judges": {name: asdict(usage) for name, usage in self.judges.items()}} if self.judges else {})

    def lines(self) -> Iterator[str]:
        """Yield a line for each component, then what is odd about them, then the totals."""
        width = max(map(len, self._components), default=0)
        for name, column in self._components.items():
            counts = f"failed {column.failed}, abstained {column.abstained}"
            counts += "".join(f", {key.replace('_', ' ')} {count}" for key, count in sorted(column.counted.items()))
            yield f"{name:<{width}}  mean {_number(column.mean)}, {counts}"
            yield from (f"{'':<{width}}  {cause}" for cause in column.causes())
        yield from self.judge_lines
        yield from (f"note: {finding['what']}" for finding in self._findings())
        odd = [f"{self._total.abstained} without a total"] if self._total.abstained else []
        odd += [f"{self.partial} totals lack a part; --resume asks for it again"] if self.partial else []
        mean, odd_text = _number(self._total.mean), f" ({'; '.join(odd)})" if odd else ""
        yield f"{counted(self.rows, 'row')}, {counted(self.completions, 'completion')}, mean total {mean}{odd_text}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
