"""The fate of the completions that there should be: each counts once, so the counts add up.

expected = scored + masked + failed + left out + unknown. The last is what nobody recorded, by subtraction.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rewardlab_training import Results

from rewardlab_viewer.read.columns import ABSENT, ABSTAINED, FAILED, SCORED, RunPart, ScoreColumns
from rewardlab_viewer.read.source import TRAINING


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The counts of a part's completions.

    Args:
        cut: those of them that stopped at the length limit.
        masked: without a total, though no component failed: one abstained, and its policy says so.
        left_out: made to be trained on and discarded.
    """

    part: str
    expected: int
    scored: int
    masked: int
    failed: int
    left_out: int
    cut: int

    @property
    def unknown(self) -> int:
        """Those that nobody recorded."""
        return self.expected - self.scored - self.masked - self.failed - self.left_out


@dataclass(frozen=True, kw_only=True)
class ComponentCoverage:
    """The outcomes of one component over the completions: a value, nothing, or a failure; absent: it was not asked."""

    component: str
    scored: int
    abstained: int
    failed: int
    absent: int

    @property
    def asked(self) -> int:
        """Completions that it was asked about."""
        return self.scored + self.abstained + self.failed


def coverage(
    columns: ScoreColumns, expected: Mapping[tuple[int, str], int], results: Mapping[str, Results]
) -> Iterator[Coverage]:
    """Yield the counts of each part. expected: of training, by stage and phase; of evaluations the results say it."""
    there = columns.groups_by_part()
    for part, groups in {**dict.fromkeys(_lost(there, expected, results), ()), **there}.items():
        counts = dict.fromkeys(("scored", "masked", "failed", "left_out"), 0)
        refused = 0
        for group in groups:
            refused += _refused(columns, group)
            for at in columns.of_group(group):
                counts[_became(columns, group, at)] += 1
        counted = sum(counts.values())
        planned = expected.get((part.stage, part.phase), 0) if part.phase == TRAINING else _asked(part, results)
        cut = sum(columns.truncated[at] for group in groups for at in columns.of_group(group))
        yield Coverage(part=str(part), expected=max(planned + refused, counted), cut=cut, **counts)


def _refused(columns: ScoreColumns, group: int) -> int:
    """Return how many completions a group sampler refused, beyond those that a step takes: none of them has a total."""
    places = columns.of_group(group)
    refused = columns.discarded[group] and not columns.left_out[group]
    whole = refused and all(columns.totals[at] != columns.totals[at] for at in places)
    return len(places) if whole else 0


def _lost(
    there: Collection[RunPart], expected: Mapping[tuple[int, str], int], results: Mapping[str, Results]
) -> Iterator[RunPart]:
    """Yield the parts of which there should be completions, and are none."""
    known = {(part.stage, part.phase) for part in there}
    lost = [
        evaluation for name in results if (evaluation := _evaluation_of(name)) and (evaluation[0], "eval") not in known
    ]
    for stage, phase in dict.fromkeys([*(place for place, count in expected.items() if count), *lost]):
        if (stage, phase) not in known:
            yield RunPart(stage, phase, None)


def _evaluation_of(name: str) -> tuple[int, str] | None:
    """Return the stage and the phase of an evaluation by the name of its results; None of one during training.

    Earlier versions called each phase `eval`, and results during training may be those of steps that a resume undid.
    """
    match = re.fullmatch(r"(\d+)-.*?(?:-(before|after)|-(step)-\d+)?", name)
    return (int(match[1]), match[2] or "eval") if match and not match[3] else None


def _became(columns: ScoreColumns, group: int, at: int) -> str:
    if columns.discarded[group]:
        return "left_out"
    if columns.totals[at] == columns.totals[at]:
        return "scored"
    failed = any(column.states[at] == FAILED for column in columns.components.values())
    return "failed" if failed else "masked"


def _asked(part: RunPart, results: Mapping[str, Results]) -> int:
    for name, rows_of in results.items():
        if _evaluation_of(name) == (part.stage, part.phase):
            return rows_of.slices[0].completions + rows_of.slices[0].missing
    return 0


def component_coverage(columns: ScoreColumns) -> list[ComponentCoverage]:
    """Return the counts of each component, over all parts."""
    lines = []
    for name, column in columns.components.items():
        scored, abstained, failed, absent = (
            column.states.count(state) for state in (SCORED, ABSTAINED, FAILED, ABSENT)
        )
        lines.append(
            ComponentCoverage(component=name, scored=scored, abstained=abstained, failed=failed, absent=absent)
        )
    return lines


def left_out_sentence(counts: Sequence[Coverage]) -> str | None:
    """Return what to say of completions that were made to be trained on and were not; None if there are none."""
    discarded = sum(count.left_out for count in counts)
    if not discarded:
        return None
    training = sum(count.expected - count.unknown for count in counts if count.part.startswith(TRAINING))
    return (
        f"{discarded:,} of {training:,} completions ({discarded / training:.1%}) were made to be trained on and were "
        "not: a group sampler or `reward.teach` refused them, or their step failed."
    )
