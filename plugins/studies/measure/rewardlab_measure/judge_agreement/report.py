"""The measures of a judge's agreement with gold, as text that people read."""

from collections.abc import Callable, Mapping
from typing import Any

from rewardlab_training import columns

from rewardlab_measure.tables.clusters import NO_CLUSTERS

Measures = Mapping[str, Any]


def _number(name: str) -> Callable[[Measures], str]:
    return lambda measures: "-" if measures[name] is None else f"{measures[name]:.2f}"


def _count(name: str) -> Callable[[Measures], str]:
    return lambda measures: "-" if measures[name] is None else str(measures[name])


def _interval(name: str) -> Callable[[Measures], str]:
    return lambda measures: "-" if measures[name] is None else "{:.2f}-{:.2f}".format(*measures[name])


def _with_interval(name: str) -> Callable[[Measures], str]:
    """Return what shows a measure that may be negative, with its interval behind it."""

    def show(measures: Measures) -> str:
        between = measures[f"{name}_interval"]
        return _number(name)(measures) + ("" if between is None else " ({:.2f}, {:.2f})".format(*between))

    return show


def describe_clusters(measures: Measures, unit: str = "rows") -> list[str]:
    """Return how many rows count as one in the intervals, in words; nothing if each counts by itself."""
    rows, clusters = (f"{measures[name]:,.0f}" for name in (unit, "clusters"))
    if rows == clusters:
        return []
    clustering = f"{rows} {unit} of {clusters} problems; those of one problem count together"
    return [f"95%: {clustering} (--cluster {NO_CLUSTERS}: each by itself)"]


_COLUMNS: dict[str, tuple[str, Callable[[Measures], str]]] = {
    "rows": ("rows", _count("rows")),
    "pairs": ("pairs", _count("pairs")),
    "missing": ("missing", _count("missing")),
    "ties": ("ties", _count("ties")),
    "accuracy": ("accuracy", _number("accuracy")),
    "95%": ("interval", _interval("interval")),
    "tau": ("kendall_tau", _number("kendall_tau")),
    "kappa": ("kappa", _with_interval("kappa")),
    "bias": ("position_bias", _number("position_bias")),
    "orders agree": ("order_agreement", _number("order_agreement")),
    "retest flips": ("retest_flips", _with_interval("retest_flips")),
    "spread": ("spread", _number("spread")),
    "judges agree": ("panel_agreement", _with_interval("panel_agreement")),
    "cyclic": ("intransitivity", _number("intransitivity")),
    "unparsable": ("parse_failures", _number("parse_failures")),
}


def format_agreement(name: str, tables: Mapping[str, Any]) -> str:
    """Return one component's table: all rows, by language, by kind. A column without any value is left out."""
    slices = {"all": tables["all"]}
    for field in ("language", "kind"):
        slices |= {f"{field} {value}": measures for value, measures in tables[field].items()}
    shown = [
        (title, show) for title, (key, show) in _COLUMNS.items() if any(s[key] is not None for s in slices.values())
    ]
    lines = [["", *(title for title, _ in shown)]]
    lines += [[label, *(show(measures) for _, show in shown)] for label, measures in slices.items()]
    lines_shown = [f"{name} ({tables['use']})", *columns(lines, align="<>")]
    lines_shown += [*describe_clusters(tables["all"]), *_counts(tables["all"])]
    if "criteria" in tables:
        lines_shown += ["", f"{name}, asked again, by criterion", *_by_criterion(tables["criteria"])]
    if "quotations" in tables:
        lines_shown.append("{unsupported} of {quoted} quotations are not in the work".format(**tables["quotations"]))
    if "dimensions" in tables:
        lines_shown += ["", f"{name} against people, by dimension", *_by_dimension(tables["dimensions"])]
    return "\n".join(lines_shown)


def _by_criterion(criteria: Mapping[str, Measures]) -> list[str]:
    head = ["", "retests", "retest flips"]
    show = (_count("retests"), _with_interval("retest_flips"))
    return columns([head, *([name, *(shown(m) for shown in show)] for name, m in criteria.items())], align="<>")


_DIMENSION_COLUMNS: dict[str, Callable[[Measures], str]] = {
    "scores": _count("scores"),
    "missing": _count("missing"),
    "agreement": _number("agreement"),
    "kappa": _with_interval("kappa"),
    "tau": _number("kendall_tau"),
    "lead": lambda measures: "-" if measures["lead"] is None else f"{measures['lead']:+.2f}",
}


def _by_dimension(tables: Mapping[str, Any]) -> list[str]:
    slices = {"all": tables["all"], **tables["dimension"]}
    for field in ("language", "kind"):
        slices |= {f"{field} {value}": measures for value, measures in tables[field].items()}
    lines = [["", *_DIMENSION_COLUMNS]]
    lines += [[label, *(show(measures) for show in _DIMENSION_COLUMNS.values())] for label, measures in slices.items()]
    table = list(columns(lines, align="<>"))
    if tables["others"]:
        table.append(f"people's, not this judge's: {', '.join(tables['others'])}")
    return table


def _counts(whole: Measures) -> list[str]:
    counts = [
        f"{whole[name]} {name}" for name in ("calls", "unparsable", "failed", "tokens") if whole[name] is not None
    ]
    lines = [", ".join(counts)] if counts else []
    if whole["triples"]:
        in_rows = f"in {whole['intransitive_rows']:.0%} of the rows that have triples"
        lines.append(f"{whole['intransitive']} of {whole['triples']} triples cyclic, {in_rows}")
        lines.append(f"groups of N that have one: {_by_size(whole['intransitive_by_size'])}")
    return lines


def _by_size(shares: Mapping[int, float]) -> str:
    return ", ".join(f"N={size} {share:.2f}" for size, share in shares.items()) or "no group has all its verdicts"
