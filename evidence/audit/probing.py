"""One grader of the audit: probed by the command, and each finding's line run."""

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError

from audit.entries import HERE, rows_of
from audit.grader import Grader

LIMIT_S, LINE_LIMIT_S = 1800.0, 120.0
"""Seconds for a grader, and for a line."""
LONGEST_ARGUMENT = 120_000
"""characters of a line that a shell takes as one argument"""
NO_SCORE = ("exceptions", "ends_process", "never_returns", "memory", "no_score")
"""Checks whose lines show that there is no score: they may fail, or take too long."""


def written_rows(grader: Grader, python: str, folder: Path) -> Path:
    """Return the file of a grader's rows; those of a script are written into a folder. A JobError if it fails."""
    script, _, words = grader.rows.partition(" ")
    if not script.endswith(".py"):
        return rows_of(grader)
    command = [python, str(rows_of(grader)), *shlex.split(words)]
    try:
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=LINE_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise JobError(f"{grader.rows} took more than {LINE_LIMIT_S:g} s") from None
    lines = [line + "\n" for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        raise JobError(f"{grader.rows} prints no rows: {_last(done.stderr) or f'exit code {done.returncode}'}")
    file = folder / f"{grader.name.replace('/', '__')}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(lines))
    return file


def probed(grader: Grader, python: str, rows: Path, limits: Sequence[str] = ()) -> dict[str, Any]:
    """Return what `rewardlab probe --json` says of a grader, each failing finding with what its line did.

    A JobError if it says nothing.

    Args:
        python: of its environment. rows: a file.
        limits: further words of the command, such as --limit 4.
    """
    words = ["-m", "rewardlab", "probe", "--callable", grader.target, "--rows", str(rows), "--json"]
    words += ["--python", python, "--deadline", str(grader.deadline), *limits]
    words += ["--signature", grader.signature] if grader.signature else []
    words += [word for folder in grader.path for word in ("--path", folder)]
    words += ["--network"] if grader.network else []
    for name, why in grader.known.items():
        words += ["--known", f"{name}={why}"]
    try:
        done = subprocess.run([sys.executable, *words], cwd=HERE, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        raise JobError(f"the probe took more than {LIMIT_S:g} s") from None
    report: dict[str, Any] = json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else {}
    if "findings" not in report:
        raise JobError(
            _last(done.stderr).removeprefix("error: ") or f"the probe ended with exit code {done.returncode}"
        )
    for finding in report["findings"]:
        if finding["level"] == "error" and finding["line"]:
            finding["reproduced"] = reproduced(finding, python) or reproduced(
                finding, python
            )  # one may have been killed
    return report


def reproduced(finding: Mapping[str, Any], python: str) -> str:
    """Return what a finding's line prints; "" if it does not show what the finding says."""
    line = shlex.quote(python) + finding["line"].removeprefix("python")
    if len(line) > LONGEST_ARGUMENT:
        return ""
    fails = finding["check"] in NO_SCORE
    try:
        done = subprocess.run(["bash", "-c", line], cwd=HERE, capture_output=True, text=True, timeout=LINE_LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"nothing within {LINE_LIMIT_S:g} s" if fails else ""
    if done.returncode == 0:
        return "" if fails and finding["check"] != "no_score" else _last(done.stdout)
    return (_last(done.stderr) or f"exit code {done.returncode}") if fails else ""


def _last(text: str) -> str:
    return next((line[:300] for line in reversed(text.splitlines()) if line.strip()), "")
