"""The measures of a judge on a benchmark, as text that people read."""

from collections.abc import Mapping
from typing import Any

from rewardlab_training import columns

from rewardlab_measure.judge_agreement.report import describe_clusters
from rewardlab_measure.judge_benchmarks.benchmark_format import JudgeBenchmark

NUMBERS = {
    "accuracy": "accuracy",
    "in both": "in_both",
    "tau": "kendall_tau",
    "pearson": "pearson",
    "parsed": "accuracy_parsed",
}
"""columns of numbers, by what stands above them"""
COUNTS = {"missing": "missing", "unparsable": "unparsable", "ties": "ties"}
"""columns of counts that are left out if all are zero"""


def format_benchmark(name: str, benchmark: JudgeBenchmark, title: str, tables: Mapping[str, Any]) -> str:
    """Return one component's table: the official score, then all cases, the sections and each slice."""
    score_name = benchmark.score_name or benchmark.score.replace("_", " ")
    seeds = f", mean of {tables['seeds']} seeds" if tables["seeds"] > 1 else ""
    head = f"{name} ({tables['use']}) on {title}: {score_name} {_number(tables, 'score')}{seeds}"
    lines = [f"  {section} {_number(tables, 'sections', section)}" for section in tables["sections"]]
    return "\n".join([head, *lines, *columns(_table(tables), align="<>"), *describe_clusters(tables["all"], "cases")])


def _table(tables: Mapping[str, Any]) -> list[list[str]]:
    rows: dict[str, tuple[str, ...]] = {"all": ("all",)}
    for name, values in tables["slices"].items():
        rows |= {f"{name} {value}": ("slices", name, value) for value in values}
    at = {label: _at(tables, path) for label, path in rows.items()}
    numbers = {title: key for title, key in NUMBERS.items() if any(row[key] is not None for row in at.values())}
    if all(row["accuracy_parsed"] == row["accuracy"] for row in at.values()):
        numbers.pop("parsed", None)
    counts = {title: key for title, key in COUNTS.items() if at["all"][key]}
    lines = [["", "cases", *counts, "score", *numbers, "95% of accuracy"]]
    for label, path in rows.items():
        row = at[label]
        score = _number(tables, "score") if label == "all" else _number(tables, *path, "score")
        shown = [score, *(_number(tables, *path, key) for key in numbers.values())]
        lines.append(
            [label, f"{row['cases']:g}", *(f"{row[key]:g}" for key in counts.values()), *shown, _interval(row)]
        )
    return lines


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def _number(tables: Mapping[str, Any], *path: str) -> str:
    """Return a number with the deviation of the seeds, if there are several."""
    value = _at(tables, path)
    if value is None:
        return "-"
    deviation = None if tables["deviation"] is None else _at(tables["deviation"], path)
    return f"{value:.4f}" if deviation is None else f"{value:.4f}±{deviation:.4f}"


def _interval(row: Mapping[str, Any]) -> str:
    return "-" if row["interval"] is None else "{:.2f}-{:.2f}".format(*row["interval"])
