"""What two rewards teach of a truth, as text that people read and as JSON values."""

from collections.abc import Iterator
from math import ceil, log10
from typing import Any

from rewardlab.text import counted
from rewardlab_training import columns

from rewardlab_measure.compare.side_by_side import excerpt
from rewardlab_measure.compare.teaching import TruthAnswer
from rewardlab_measure.compare.verdict import POWERS, TaughtTruth

LABEL = 40
"""columns that a value of a field takes at most in the table"""
LEGEND = (
    "gain: what a step along a reward's advantages adds to the truth; at most: along the truth itself (docs/compare.md)"
)


def format_taught(taught: TruthAnswer) -> str:
    """Return the gains with a line a slice, the verdict, and how many prompts a difference takes."""
    lines = [
        ["", "groups", "truth differs", "gain A", "gain B", "at most", "B - A", f"{_percent(taught.level)} interval"]
    ]
    lines += [_line(name, truth) for name, truth in taught.slices.items()]
    whole = next(iter(taught.slices.values()))
    parts = [
        *columns(lines, align="<>"),
        *_notes(taught, whole),
        _verdict(taught, whole),
        *_power(taught, whole),
        LEGEND,
    ]
    return "\n".join([f"truth: {taught.question.truth}", *parts])


def taught_as_dict(taught: TruthAnswer) -> dict[str, Any]:
    """Return {"name", "verdict", "level", "rows", "of", "unknown", "detect", "sequential", "power", "slices"}.

    unknown: completions without a truth.
    power: for each power, the smallest difference that so many prompts see, and the prompts that `detect` needs (None
    without it). slices: name -> counts, mean gains per step, and B's less A's with its interval.
    """
    question = taught.question
    whole = next(iter(taught.slices.values()))
    return {
        "name": question.truth,
        "verdict": taught.verdict,
        "level": taught.level,
        "rows": taught.rows,
        "of": taught.of,
        "unknown": taught.unknown,
        "detect": question.detect,
        "sequential": question.sequential,
        "power": {f"{power:g}": _power_as_dict(taught, whole, power) for power in POWERS},
        "slices": {name: _as_dict(truth) for name, truth in taught.slices.items()},
    }


def _power_as_dict(taught: TruthAnswer, whole: TaughtTruth, power: float) -> dict[str, Any]:
    detect = taught.question.detect
    needed = None if detect is None else whole.prompts_needed(detect, power, looks=taught.question.sequential)
    return {"smallest_seen": whole.smallest_seen(power), "prompts_needed": needed}


def _as_dict(truth: TaughtTruth) -> dict[str, Any]:
    return {
        "groups": truth.prompts,
        "left_out": truth.left_out,
        "truth_differs": truth.varying,
        "clusters": truth.clusters,
        "gain": {"a": truth.a, "b": truth.b, "at_most": truth.at_most},
        "difference": {"mean": truth.difference, "low": truth.low, "high": truth.high, "deviation": truth.deviation},
    }


def _line(name: str, truth: TaughtTruth) -> list[str]:
    interval = "-" if truth.low is None or truth.high is None else f"[{truth.low:+.4f}, {truth.high:+.4f}]"
    gains = ["-" if gain is None else f"{gain:.4f}" for gain in (truth.a, truth.b, truth.at_most)]
    difference = "-" if truth.difference is None else f"{truth.difference:+.4f}"
    return [excerpt(name, LABEL), f"{truth.prompts:,}", f"{truth.varying:,}", *gains, difference, interval]


def _percent(level: float) -> str:
    """Return a level with as many places as its distance from 100% takes: 95.0%, 99.9995%."""
    return f"{level:.{max(1, ceil(-2 - log10(1 - level)))}%}"


def _notes(taught: TruthAnswer, whole: TaughtTruth) -> Iterator[str]:
    if taught.unknown:
        yield f"{counted(taught.unknown, 'completion')} without {taught.question.truth} count nowhere"
    if not taught.is_clustered:
        yield "each prompt counts by itself; name the file of rows if some are of one problem, such as translations"
    if whole.left_out:
        left_out = counted(whole.left_out, "group")
        yield f"{left_out} left out: fewer than two completions with a truth and a total on both sides"
    if whole.clusters < whole.prompts:
        clusters = f"{whole.clusters:,} of {whole.prompts:,}"
        yield f"prompts of the same problem, or with the same text, count as one: {clusters}"


def _verdict(taught: TruthAnswer, whole: TaughtTruth) -> str:
    name, detect = taught.question.truth, taught.question.detect
    texts = {
        "A teaches more": f"A teaches more of {name} than B",
        "B teaches more": f"B teaches more of {name} than A",
        "no difference that large": f"neither teaches {detect} more of {name} than the other",
        "equal": "A and B teach equally much in each of these groups",
        "undecided": f"undecided: these prompts do not say which teaches more of {name}",
        "truth never differs": f"no answer: in no group do two completions differ in {name}, so no reward can teach it",
        "too few prompts": "no answer: how much prompts differ takes two at the least, of different problems",
    }
    if not taught.question.sequential:
        return texts[taught.verdict]
    decided = whole.is_decided(detect)
    read = f"{'decided' if decided else 'read'} after {taught.rows:,} of {counted(taught.of, 'row')}"
    return f"{texts[taught.verdict]} ({read}, which are taken to be in random order)"


def _power(taught: TruthAnswer, whole: TaughtTruth) -> Iterator[str]:
    seen = [(power, whole.smallest_seen(power)) for power in POWERS]
    if taught.rows == taught.of and any(smallest is not None for _, smallest in seen):
        listed = ", ".join(f"{smallest:.4f} with a power of {power:.0%}" for power, smallest in seen)
        yield f"the smallest difference that so many prompts see: {listed}"
    detect = taught.question.detect
    if detect is None:
        return
    needed = [(power, whole.prompts_needed(detect, power, looks=taught.question.sequential)) for power in POWERS]
    if any(prompts is not None for _, prompts in needed):
        yield f"prompts to see {detect}: " + ", ".join(f"{n:,} with a power of {power:.0%}" for power, n in needed)
