"""The records of the audit, the table in docs/audit.md that is made from them, and the lines that show its findings."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rewardlab.recipe import FAMILIES

from audit.checked import Checked, checked, failing, share
from audit.entries import HERE
from audit.grader import Grader
from audit.results import Result

PAGE, REPRODUCTIONS, RECORDS = HERE.parents[1] / "docs" / "audit.md", HERE / "reproductions.md", HERE / "audit.jsonl"
BEGIN, END = "<!-- audit: python evidence/audit --page -->", "<!-- end of audit -->"
NOTHING = ("empty", "noop", "bare_form", "floor")
LISTS = ("enumeration", "hedged_answer")
ORDERS = tuple(family for family in FAMILIES if family.startswith("injected_"))
COLUMNS: Mapping[str, Sequence[str]] = {
    "a right answer passes": ("right_answer", "own_notation"),
    "nothing fails": NOTHING,
    "lists and hedges fail": LISTS,
    "orders fail": ORDERS,
    "other wrong answers fail": [name for name in FAMILIES if name not in (*NOTHING, *LISTS, *ORDERS)],
    "the same twice": ("determinism", "other_process"),
    "in any order": ("order", "batch"),
    "always a score": ("exceptions", "no_score", "ends_process", "network", "memory", "given_up"),
    "100 kB": ("long_text", "never_returns"),
    "other digits": ("other_digits",),
    "decimal comma": ("decimal_comma",),
}
"""Column of the table -> the checks and families that it stands for."""
NOTES = ("other digits", "decimal comma")
"""Columns of which it is enough to know whether."""
BY_DESIGN = "by design"
PASSES = ("yes", "-", BY_DESIGN)
FIELDS = ("check", "what", "line", "reproduced")
"""What is kept of a finding."""

Records = Sequence[Mapping[str, Any]]


def write_page(graders: Sequence[Grader], results: Iterable[tuple[Grader, Result]]) -> None:
    """Write the records of the results, the generated part of the page, and the lines.

    A grader that nothing is kept of here, or only that it could not be probed, has the record of before.
    """
    kept = {record["name"]: record for record in records()}
    for record in map(_record, results):
        if record["cells"] or record["name"] not in kept:
            kept[record["name"]] = record
    every = [kept[name] for name in sorted((grader.name for grader in graders), key=str.casefold) if name in kept]
    RECORDS.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in every), encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{generated(every)}\n{END}{after}", encoding="utf-8")
    REPRODUCTIONS.write_text(reproductions(every), encoding="utf-8")


def records() -> Records:
    """Return what is known of each grader."""
    return [json.loads(line) for line in RECORDS.read_text("utf-8").splitlines()] if RECORDS.exists() else []


def _record(of: tuple[Grader, Result]) -> dict[str, Any]:
    grader, result = of
    false = {one["check"]: f"checked, a false alarm: {one['why']}" for one in _false_alarms(grader.name)}
    shown = [{name: each.get(name, "") for name in FIELDS} for each in failing(result) if each["check"] not in false]
    findings = result["report"]["findings"] if result["report"] else ()
    meant = {each["check"]: each["known"] or false.get(each["check"], "") for each in findings}
    meant = {check: why for check, why in meant.items() if why}
    return {
        "name": grader.name,
        "version": _version(grader),
        "origin": grader.origin,
        "licence": grader.licence,
        **result["made"],
        "error": result["error"],
        "cells": cells_of(result, meant) if result["report"] else {},
        "findings": shown,
        "by_design": meant,
    }


def _version(grader: Grader) -> str:
    """Return the version of a grader's source, or its commit."""
    source = grader.name.partition("/")[0].casefold()
    packages = [each for each in (*grader.packages, *grader.alone) if each.casefold().startswith(f"{source}==")]
    return [grader.source.partition("@")[2], *(package.partition("==")[2] for package in packages)][-1]


def generated(every: Records) -> str:
    """Return how it was asked, the share of false alarms, the sums by source, the table, and what is not in it."""
    probed = [record for record in every if record["cells"]]
    found = sum(bool(record["findings"]) for record in probed)
    lines = [f"{len(every)} graders are listed, {len(probed)} were probed, {found} have a finding.", ""]
    lines += [f"Asked by {_counted(probed, 'probe')} of the probe, with Python {_counted(probed, 'python')}, "]
    lines[-1] += f"on {_counted(probed, 'day')}."
    lines += [""]
    if looked_at := checked():
        alarms = share(looked_at)
        lines += [f"Of the findings that were drawn and checked by hand, these were false alarms: {alarms}.", ""]
    lines += [*_sums(probed), "", *_table(probed)]
    if meant := [record for record in probed if record["by_design"]]:
        lines += ["", "By design, not to be judged by these rows, or a false alarm:", ""]
        lines += [f"- {record['name']}: {_whys(record['by_design'])}" for record in meant]
    if absent := [record for record in every if not record["cells"]]:
        lines += ["", "Not probed:", "", *(f"- {record['name']}: {_escaped(record['error'])}" for record in absent)]
    return "\n".join(lines)


def _counted(probed: Records, name: str) -> str:
    """Return each value of a field with the number of graders that have it; only the value if all have it."""
    counts = Counter(record[name] for record in probed)
    return ", ".join(f"{value} ({count})" if len(counts) > 1 else value for value, count in counts.items())


def _whys(by_design: Mapping[str, str]) -> str:
    return "; ".join(f"`{check}`: {_escaped(why)}" for check, why in by_design.items())


def _sums(probed: Records) -> list[str]:
    """Return how many graders of each source fail each column."""
    sources: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in probed:
        source = f"{record['name'].partition('/')[0]} {record['version']}".rstrip()
        sources.setdefault((source, record["licence"] or "none named"), []).append(record)
    rows = [[*source, *_failed(each)] for source, each in sources.items()]
    header = ["graders that fail, by source", "licence", "probed", *COLUMNS]
    return _as_table(header, [*rows, ["all", "", *_failed(probed)]])


def _failed(probed: Records) -> list[str]:
    """Return how many graders there are, and how many of them fail each column."""
    cells = [record["cells"] for record in probed]
    return [str(len(probed)), *(str(sum(cell[column] not in PASSES for cell in cells)) for column in COLUMNS)]


def _table(probed: Records) -> list[str]:
    rows = []
    for record in probed:
        lines = (
            f" ([lines](../evidence/audit/reproductions.md#{_anchor(record['name'])}))" if record["findings"] else ""
        )
        rows.append([f"{record['name']}{lines}", *record["cells"].values()])
    return _as_table(["grader", *COLUMNS], rows)


def _false_alarms(name: str) -> list[Checked]:
    return [one for one in checked() if one["grader"] == name and one["verdict"] == "false"]


def cells_of(result: Result, meant: Mapping[str, str]) -> dict[str, str]:
    """Return what stands in each column: yes, by design, - if it could not be tried, or what fails.

    Args:
        meant: check -> why it is no finding.
    """
    report = result["report"]
    failed = {finding["check"] for finding in failing(result)} - {*meant}
    failed |= {
        finding["check"] for finding in report["findings"] if finding["check"] in ("other_digits", "decimal_comma")
    }
    families = report["probe"]["slices"]["all"]["completions"]
    tried = {name for name, family in families.items() if family["rows"] or family["unscored"]}
    tried |= {name for name, status in report["checks"].items() if status != "skip"}
    return {column: _cell(column, checks, failed, meant, tried) for column, checks in COLUMNS.items()}


def _cell(column: str, checks: Sequence[str], failed: set[str], meant: Mapping[str, str], tried: set[str]) -> str:
    if wrong := [check for check in checks if check in failed]:
        return "no" if column in NOTES else ", ".join(wrong)
    if {*meant} & {*checks}:
        return BY_DESIGN
    return "yes" if tried & {*checks} else "-"


def reproductions(every: Records) -> str:
    """Return a section for each grader with a finding: what is wrong, and a line that shows it."""
    text = [
        "# Lines that show the findings of the audit",
        "",
        "If you doubt a finding of [the audit](../../docs/audit.md), paste its line in this folder, with the Python of "
        "the grader's own environment in the place of `python`. The first value is that of the completion that the "
        "finding is about, the second that of the honest one. `python evidence/audit --paste --only verl/gsm8k` builds "
        "the environment, names its Python, pastes the lines and says which print something else.",
    ]
    for record in every:
        if record["findings"]:
            text += ["", f"## {record['name']}", "", _about(record)]
        for finding in record["findings"]:
            text += ["", f"`{finding['check']}`: {_escaped(finding['what'])}"]
            if finding["line"]:
                text += ["", "```text", finding["line"], "```", "", f"prints `{_code(finding['reproduced'])}`"]
    return "\n".join(text) + "\n"


def _about(record: Mapping[str, Any]) -> str:
    """Return what was asked: the version of the grader, its code, the Python and the build of the probe."""
    made = f"Python {record['python']}, build {record['probe']} of the probe, {record['day']}"
    return f"Version {record['version']}; [code]({record['origin']}); {made}"


def _anchor(name: str) -> str:
    return "".join(letter for letter in name.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def _as_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(header)} |", "|---" * len(header) + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_<>[]|" else letter for letter in text)


def _code(text: str) -> str:
    return text.replace("`", "'")
