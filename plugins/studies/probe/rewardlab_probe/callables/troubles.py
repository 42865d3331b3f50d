"""Calls of a grader that got no score: one finding for each way, with a line that shows it."""

import re
from collections.abc import Iterator, Mapping

from rewardlab import Sample
from rewardlab.text import counted

from rewardlab_probe.callables.grader_process import CallResult, Trouble
from rewardlab_probe.callables.reproduction import Reproducer
from rewardlab_probe.callables.scored_rows import ScoredTexts
from rewardlab_probe.families import WELL_FORMED
from rewardlab_probe.findings import Finding

TROUBLES: Mapping[Trouble, tuple[str, str]] = {
    "raised": ("exceptions", "it raises in the place of a score"),
    "exits": ("ends_process", "it leaves by SystemExit"),
    "died": ("ends_process", "it ends its process"),
    "unfit": ("no_score", "it returns no score"),
    "deadline": ("never_returns", "it does not return"),
    "memory": ("memory", "it takes too much memory"),
}
"""Kind of trouble -> the check that it fails, and what it is."""
TROUBLE_CHECKS = tuple(dict.fromkeys(check for check, _ in TROUBLES.values()))


def troubles(scored: ScoredTexts, reproducer: Reproducer) -> Iterator[Finding]:
    """Yield a finding for each way in which calls got no score: the kind, and for an exception its place."""
    alike: dict[tuple[str, str], list[tuple[Sample, str, CallResult]]] = {}
    for sample, text, result in scored.troubled:
        alike.setdefault((TROUBLES[result.trouble][0], _kind(result)), []).append((sample, text, result))
    for (check, _), each in alike.items():
        sample, text, result = min(each, key=lambda one: len(one[1]))
        yield Finding(
            check=check,
            rfc=WELL_FORMED,
            what=f"{TROUBLES[result.trouble][1]} in {counted(len(each), 'call')}: {result.why}",
            row=sample.id,
            line=reproducer.line([(sample, [text])]),
        )


def _kind(result: CallResult) -> str:
    """Return what is the same of calls that fail in the same way: the exception without its text."""
    return re.sub(r":.*(?= \(at )|:[^(]*$", "", result.why) if result.trouble == "raised" else result.trouble
