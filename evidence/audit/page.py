"""The table of the audit in docs/audit.md, and the lines that show its findings in evidence/audit/reproductions.md."""

from collections.abc import Mapping, Sequence

from rewardlab.recipe import FAMILIES

from audit.checked import checked, failing, share
from audit.entries import HERE
from audit.grader import Grader
from audit.results import Result

PAGE, REPRODUCTIONS = HERE.parents[1] / "docs" / "audit.md", HERE / "reproductions.md"
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
PASSES = ("yes", "-")
LONGEST = 4000
"""Characters of a line that is shown."""

Results = Sequence[tuple[Grader, Result]]


def write_page(results: Results) -> None:
    """Write the generated part of the page, and the lines."""
    results = sorted(results, key=lambda one: one[0].name.casefold())
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{generated(results)}\n{END}{after}", encoding="utf-8")
    REPRODUCTIONS.write_text(reproductions(results), encoding="utf-8")


def generated(results: Results) -> str:
    """Return the sums by source, the share of false alarms, the table, and what could not be probed."""
    probed = [(grader, result) for grader, result in results if result["report"]]
    lines = [
        f"{len(probed)} graders were probed, {sum(bool(failing(result)) for _, result in probed)} with a finding.",
        "",
    ]
    if looked_at := checked():
        lines += [
            f"Of the findings that were drawn and checked by hand, these were false alarms: {share(looked_at)}.",
            "",
        ]
    lines += [*_sums(probed), "", *_table(probed)]
    if absent := [(grader, result["error"]) for grader, result in results if not result["report"]]:
        lines += ["", "Not probed:", "", *(f"- {grader.name}: {error}" for grader, error in absent)]
    return "\n".join(lines)


def _sums(probed: Results) -> list[str]:
    """Return how many graders of each source fail each column."""
    sources: dict[str, list[tuple[Grader, Result]]] = {}
    for grader, result in probed:
        sources.setdefault(grader.name.partition("/")[0], []).append((grader, result))
    rows = [[f"{source}{_version(source, each[0][0])}", *_failed(each)] for source, each in sources.items()]
    return _as_table(["graders that fail, by source", "probed", *COLUMNS], [*rows, ["all", *_failed(probed)]])


def _failed(probed: Results) -> list[str]:
    """Return how many graders there are, and how many of them fail each column."""
    cells = [cells_of(result) for _, result in probed]
    return [str(len(probed)), *(str(sum(cell[column] not in PASSES for cell in cells)) for column in COLUMNS)]


def _version(source: str, grader: Grader) -> str:
    """Return the version of a source, or its commit."""
    packages = [package for package in grader.packages if package.casefold().startswith(f"{source.casefold()}==")]
    versions = [package.partition("==")[2] for package in packages] + [grader.source.partition("@")[2]]
    return f" {versions[0]}".rstrip()


def _table(probed: Results) -> list[str]:
    rows = []
    for grader, result in probed:
        cells = cells_of(result)
        lines = f" ([lines](../evidence/audit/reproductions.md#{_anchor(grader)}))" if failing(result) else ""
        rows.append([f"{grader.name}{lines}", *cells.values()])
    return _as_table(["grader", *COLUMNS], rows)


def cells_of(result: Result) -> dict[str, str]:
    """Return what stands in each column: yes, - if it could not be tried, or what fails."""
    report = result["report"]
    failed = {finding["check"] for finding in failing(result)}
    failed |= {
        finding["check"] for finding in report["findings"] if finding["check"] in ("other_digits", "decimal_comma")
    }
    families = report["probe"]["slices"]["all"]["completions"]
    tried = {name for name, family in families.items() if family["rows"] or family["unscored"]}
    tried |= {name for name, status in report["checks"].items() if status != "skip"}
    cells = {}
    for column, checks in COLUMNS.items():
        wrong = [check for check in checks if check in failed]
        cells[column] = (
            ("no" if column in NOTES else ", ".join(wrong)) if wrong else "yes" if tried & {*checks} else "-"
        )
    return cells


def reproductions(results: Results) -> str:
    """Return a section for each grader with a finding: what is wrong, and a line that shows it."""
    text = [
        "# Lines that show the findings of the audit",
        "",
        "If you doubt a finding of [the audit](../../docs/audit.md), paste its line in this folder, with the Python of "
        "the grader's own environment in the place of `python`. The first value is that of the completion that "
        "deserves nothing, the second that of the honest one.",
    ]
    for grader, result in results:
        if findings := failing(result):
            installed = ", ".join(f"`{package}`" for package in grader.packages) or grader.source
            text += ["", f"## {grader.name}", "", f"{installed}; [code]({grader.origin})"]
            for finding in findings:
                text += ["", f"`{finding['check']}`: {_escaped(finding['what'])}"]
                if finding["line"] and len(finding["line"]) <= LONGEST:
                    text += ["", "```text", finding["line"], "```", "", f"prints `{_code(finding['reproduced'])}`"]
    return "\n".join(text) + "\n"


def _anchor(grader: Grader) -> str:
    return "".join(letter for letter in grader.name.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def _as_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(header)} |", "|---" * len(header) + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_<>[]|" else letter for letter in text)


def _code(text: str) -> str:
    return text.replace("`", "'")
