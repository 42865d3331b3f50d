"""evidence/audit: graders installed and probed side by side, kept, and shown as a page."""

import json
import os
import platform
import shutil
import subprocess
import sys

import pytest
from helpers.paths import ROOT

GRADERS = """
from audit.grader import Grader

def toy(name, **more):
    about = {"packages": (), "rows": "toy.jsonl", "origin": "https://example.org", "licence": "MIT"}
    return Grader(name=f"toy/{name}", target=f"adapters/toy.py:{name}", **about | more)

GRADERS = [
    toy("substring"),
    toy("equal", rows="made.py 3"),
    toy("raises", known={"own_notation": "on purpose"}),
    toy("contains", known={"enumeration": "its name says so", "hedged_answer": "its name says so"}),
    toy("later", python="3.99"),
    toy("absent", source="github:some/repository@0123abc"),
]
"""
ADAPTER = """
def substring(completion, answer): return float(answer in completion)
contains = substring
def equal(completion, answer): return float(completion == "The answer is " + answer)
def raises(completion, answer): return float(completion.split()[3] == answer)
later = absent = equal
"""
ROW = {"id": "a", "prompt": "What is 17 + 25?", "honest": "The answer is 42", "answer": "42"}
MADE = (
    f"import json, sys\nprint('rows:')\nfor i in range(int(sys.argv[1])): print(json.dumps({ROW} | {{'id': str(i)}}))\n"
)
PAGE = "# Audit\n\n<!-- audit: python evidence/audit --page -->\nold\n<!-- end of audit -->\nThe end.\n"


@pytest.fixture
def audit(tmp_path):
    """Copy the audit with graders of its own: `audit()` runs it and returns what it prints."""
    folder = tmp_path / "evidence" / "audit"
    shutil.copytree(
        ROOT / "evidence" / "audit",
        folder,
        ignore=shutil.ignore_patterns(
            "graders", "rows", "adapters", "results", "sources", "*.jsonl", "reproductions.md"
        ),
    )
    files = {
        "graders/toy.py": GRADERS,
        "adapters/toy.py": ADAPTER,
        "rows/toy.jsonl": json.dumps(ROW),
        "rows/made.py": MADE,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "audit.md").write_text(PAGE)

    def run(*words):
        command = [sys.executable, str(folder), "--thorough", "0", *words]
        environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout

    run.folder = tmp_path
    return run


@pytest.mark.slow
def test_audit_probes_once_and_writes_a_page_of_what_its_lines_showed(audit):
    said = audit().splitlines()
    assert said[0] == "6 graders, 6 to probe"
    assert "toy/equal: nothing" in said
    assert any(line.startswith("toy/substring: enumeration") for line in said)
    assert "toy/later: not probed: it wants Python 3.99, and this is" in "\n".join(said)
    assert "git clone https://github.com/some/repository sources/some+repository" in "\n".join(said)
    assert audit().splitlines()[0] == "6 graders, 2 to probe", "what was not probed is tried again"
    kept = json.loads((audit.folder / "evidence/audit/results/toy__substring.json").read_text())
    assert [f["reproduced"] for f in kept["report"]["findings"] if f["check"] == "enumeration"] == ["1.0 1.0"]

    drawn = audit("--draw", "1")
    name, check = drawn.split(":")[0].split()
    (audit.folder / "evidence/audit/checked.jsonl").write_text(
        json.dumps({"grader": name, "check": check, "verdict": "right", "why": "it is"})
    )
    audit("--page")
    page = (audit.folder / "docs/audit.md").read_text()
    assert "6 graders are listed, 4 were probed, 3 have a finding." in page
    assert f"with Python {platform.python_version()}, on " in page
    assert "| toy | MIT | 4 |" in page
    assert "- toy/contains: `enumeration`: its name says so" in page
    assert "- toy/later: it wants Python 3.99" in page
    assert "false alarms: 0 of 1 (0%" in page
    assert page.endswith("The end.\n")
    assert "old" not in page
    row = next(line for line in page.splitlines() if line.startswith("| toy/substring"))
    assert "enumeration" in row
    assert "reproductions.md#toysubstring" in row
    lines = audit.folder / "evidence/audit/reproductions.md"
    assert "prints `1.0 1.0`" in lines.read_text()

    assert "enumeration: as recorded" in audit("--paste", "--only", "toy/substring")
    (audit.folder / "evidence/audit/adapters/toy.py").write_text(ADAPTER.replace("float(answer in completion)", "0.5"))
    with pytest.raises(subprocess.CalledProcessError) as error:
        audit("--paste", "--only", "toy/substring")
    assert "enumeration: it prints '0.5 0.5', and not '1.0 1.0'" in error.value.stdout


def test_page_and_lines_are_what_the_records_say():
    asked = """
import sys
sys.path.insert(0, "evidence")
from audit.page import BEGIN, END, PAGE, REPRODUCTIONS, generated, records, reproductions
shown = PAGE.read_text().partition(BEGIN)[2].partition(END)[0].strip()
assert shown == generated(records()), "python evidence/audit --page"
assert REPRODUCTIONS.read_text() == reproductions(records()), "python evidence/audit --page"
assert all(finding["reproduced"] for record in records() for finding in record["findings"] if finding["line"])
print(len([record for record in records() if record["cells"]]))
"""
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 120


def test_entries_that_are_wrong_are_named_together(audit):
    file = audit.folder / "evidence/audit/graders/toy.py"
    file.write_text(
        file.read_text() + 'GRADERS += [toy("equal", rows="no.jsonl", signature="odd", packages=("torch",))]\n'
    )
    with pytest.raises(subprocess.CalledProcessError) as error:
        audit()
    for problem in ("two entries have this name", "no signature 'odd'", "no rows 'no.jsonl'", "no version: torch"):
        assert problem in error.value.stderr
    assert "Traceback" not in error.value.stderr
