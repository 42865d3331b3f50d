"""Findings that somebody has looked at: which were drawn, and the share that is right."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from rewardlab_measure.judge_agreement.measures import cluster_interval

from audit.entries import HERE
from audit.grader import Grader
from audit.results import Result

FILE = HERE / "checked.jsonl"
LONGEST = 6000
"""Characters of a line that somebody can paste."""


class Checked(TypedDict):
    """A finding that was looked at: whether it is right, and why."""

    grader: str
    check: str
    verdict: Literal["right", "false"]
    why: str


def checked() -> list[Checked]:
    """Return the findings that were looked at."""
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def drawn(results: Iterable[tuple[Grader, Result]], count: int) -> list[tuple[str, Mapping[str, Any]]]:
    """Return this many failing findings with their graders, drawn by the hash of their names: the same each time."""
    every = [(grader.name, finding) for grader, result in results for finding in failing(result)]
    return sorted(every, key=lambda one: hashlib.sha256(f"{one[0]} {one[1]['check']}".encode()).digest())[:count]


def failing(result: Result) -> list[Mapping[str, Any]]:
    """Return the findings that fail a grader and whose line was run and showed it."""
    findings = (result["report"] or {"findings": ()})["findings"]
    failing = [each for each in findings if each["level"] == "error" and not each["known"]]
    return [each for each in failing if each.get("reproduced") and 0 < len(each["line"]) <= LONGEST]


def share(looked_at: Sequence[Checked]) -> str:
    """Return the share of false alarms among at least one finding in words, with its 95% interval."""
    false = sum(one["verdict"] == "false" for one in looked_at)
    interval = cluster_interval([float(one["verdict"] == "false") for one in looked_at], range(len(looked_at)))
    between = f"; 95% interval {interval[0]:.0%} to {interval[1]:.0%}" if interval else ""
    return f"{false} of {len(looked_at)} ({false / len(looked_at):.0%}{between})"
