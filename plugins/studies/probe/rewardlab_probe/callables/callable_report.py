"""The report on a callable as text that people read and as JSON values."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rewardlab.text import counted
from rewardlab_training import columns

from rewardlab_probe.callables.callable_probe import CallableReport, GraderStatus
from rewardlab_probe.findings import Finding
from rewardlab_probe.report import format_checks, format_slices, probe_as_dict

STATUSES: Sequence[GraderStatus] = ("fail", "note", "pass", "skip")


def format_callable(report: CallableReport) -> str:
    """Return how it was called, the tables of the probe, every check, and each finding with its line."""
    said = "seen from the names of its parameters" if report.seen else "as --signature says"
    titles = [f"grader: {report.target}{report.parameters}", f"called as {report.signature}, {said}"]
    by_status = [[name for name, status in report.checks.items() if status == each] for each in STATUSES]
    each = [[f"  {status}", ", ".join(names)] for status, names in zip(STATUSES, by_status, strict=True) if names]
    checks = "\n".join(["checks of graders:", *columns(each, align="<<")])
    findings = [line for finding in report.findings for line in _lines(finding)]
    return "\n\n".join(
        [
            "\n".join(titles),
            *format_slices(report.probed),
            format_checks(report.probed),
            checks,
            "\n".join([*findings, _end(report)]),
        ]
    )


def callable_as_dict(report: CallableReport) -> dict[str, Any]:
    """Return {"ok", "target", "signature", "parameters", "calls", "checks", "findings", "probe"} as JSON values.

    checks: check of graders -> pass, fail, note or skip. findings: the fields of `Finding`. probe: what `probe_as_dict`
    returns.
    """
    return {
        "ok": report.ok,
        "target": report.target,
        "signature": report.signature,
        "parameters": str(report.parameters),
        "calls": report.behaviour.calls,
        "checks": dict(report.checks),
        "findings": [asdict(finding) for finding in report.findings],
        "probe": probe_as_dict(report.probed),
    }


def _lines(finding: Finding) -> Iterator[str]:
    row = f" (row {finding.row!r})" if finding.row else ""
    yield f"{'note: ' if finding.level == 'note' else ''}{finding.check}: {finding.what}{row}"
    if finding.known:
        yield f"  known: {finding.known}"
    if finding.line:
        yield f"  {finding.line}"


def _end(report: CallableReport) -> str:
    failing = sum(finding.fails for finding in report.findings)
    return (
        f"{counted(failing, 'finding')} in {counted(report.behaviour.calls, 'call')}"
        if failing
        else "nothing wrong was seen"
    )
