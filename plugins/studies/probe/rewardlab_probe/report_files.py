"""The findings on a reward or a grader in the forms that continuous integration reads: SARIF 2.1.0 and JUnit's XML."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from rewardlab.files import write_text
from rewardlab.recipe import FAMILIES

from rewardlab_probe.findings import Finding
from rewardlab_probe.job import ProbeResult

SARIF, JUNIT = ".sarif", ".xml"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_NOT_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(55296, 57344)), "�")


@dataclass(frozen=True, kw_only=True)
class ProbeReport:
    """A report on a probe.

    Args:
        name: of the recipe or the grader.
        place: file and line where that is; ("", 0) if it is in none.
        checks: check of graders -> its status.
    """

    name: str
    place: tuple[str, int]
    probed: ProbeResult
    findings: Sequence[Finding]
    checks: Mapping[str, str] = field(default_factory=dict)


def write_report(report: ProbeReport, path: Path) -> None:
    """Write the findings into a file, in the form that its ending says."""
    write_text(path, as_sarif(report) if path.suffix == SARIF else as_junit(report))


def as_sarif(report: ProbeReport) -> str:
    """Return the findings as SARIF: a rule for each check that has one, and the place of what was probed."""
    rules = {finding.check: finding.rfc for finding in report.findings}
    driver = {
        "name": "rewardlab probe",
        "rules": [{"id": check, "properties": {"rfc008": rfc}} for check, rfc in rules.items()],
    }
    run = {"tool": {"driver": driver}, "results": [_result(report, finding) for finding in report.findings]}
    return json.dumps({"version": "2.1.0", "$schema": SCHEMA, "runs": [run]}, indent=1) + "\n"


def _result(report: ProbeReport, finding: Finding) -> dict[str, Any]:
    file, line = report.place
    place = {"artifactLocation": {"uri": Path(file).absolute().as_uri()}, "region": {"startLine": line}} if file else {}
    named = {"logicalLocations": [{"fullyQualifiedName": report.name}]}
    result: dict[str, Any] = {
        "ruleId": finding.check,
        "level": finding.level,
        "message": {"text": f"{finding.what}\n{finding.line}".strip()},
        "locations": [named | ({"physicalLocation": place} if place else {})],
    }
    if finding.known:
        result["suppressions"] = [{"kind": "external", "justification": finding.known}]
    return result


def as_junit(report: ProbeReport) -> str:
    """Return the checks as JUnit's XML: a test case each, families of degenerate completions among them."""
    failing = [finding for finding in report.findings if finding.fails]
    tried = {verdict.family for verdict in report.probed.slices[0].verdicts if verdict.rows or verdict.unscored}
    statuses: dict[str, str] = {family: "pass" if family in tried else "skip" for family in FAMILIES}
    statuses |= report.checks
    names = list(dict.fromkeys([*statuses, *(finding.check for finding in failing)]))
    suite = ElementTree.Element("testsuite", name=f"rewardlab probe {report.name}", tests=str(len(names)))
    failures = 0
    for name in names:
        case = ElementTree.SubElement(suite, "testcase", classname=report.name, name=name)
        wrong = [finding for finding in failing if finding.check == name]
        failures += bool(wrong)
        if wrong:
            failure = ElementTree.SubElement(case, "failure", message=wrong[0].what.translate(_NOT_XML))
            failure.text = "\n".join(f"{each.what}\n{each.line}" for each in wrong).translate(_NOT_XML)
        elif statuses[name] == "skip":
            ElementTree.SubElement(case, "skipped")
    suite.set("failures", str(failures))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
