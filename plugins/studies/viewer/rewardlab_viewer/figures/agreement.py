"""Each component against correctness: does it put the more correct of two completions of a prompt first?

Of the pairs of a group that differ in correctness, the share that a component orders alike; one that it does not tell
apart counts half, so that 50% is what a coin does. Groups of a problem count together in the interval.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from rewardlab_measure.tables import TableAverage, clustered_average

from rewardlab_viewer.read.columns import FieldColumn, ScoreColumns

LANGUAGE = "language"


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The agreement of a component with correctness.

    Args:
        language: "all", or one of several.
        pairs: those with a value of both that differ in correctness.
        tied: those of them that it does not tell apart.
    """

    component: str
    language: str
    pairs: int
    tied: int
    average: TableAverage


def agreements(columns: ScoreColumns, correctness: str | None) -> Iterator[Agreement]:
    """Yield the agreement of each other component, over all groups and by language; none without correctness."""
    if correctness not in columns.components:
        return
    truth = columns.components[correctness].values
    languages = columns.fields.get(LANGUAGE, FieldColumn())
    for name, column in columns.components.items():
        counted = {group: _pairs(columns, group, truth, column.values) for group in range(columns.groups)}
        compared = {group: counts for group, counts in counted.items() if counts[0]}
        if name == correctness or not compared:
            continue
        yield _agreement(columns, name, "all", compared)
        for language, code in sorted(languages.values.items()) if len(languages.values) > 1 else ():
            chosen = {group: counts for group, counts in compared.items() if languages.codes[group] == code}
            if chosen:
                yield _agreement(columns, name, language, chosen)


def _agreement(columns: ScoreColumns, name: str, language: str, compared: dict[int, tuple[int, int, int]]) -> Agreement:
    shares = [(alike + tied / 2) / pairs for pairs, alike, tied in compared.values()]
    average = clustered_average(shares, [columns.problem[group] for group in compared])
    assert average is not None
    pairs, tied = (sum(counts[at] for counts in compared.values()) for at in (0, 2))
    return Agreement(component=name, language=language, pairs=pairs, tied=tied, average=average)


def _pairs(columns: ScoreColumns, group: int, truth: Sequence[float], values: Sequence[float]) -> tuple[int, int, int]:
    """Return (pairs that differ in correctness, those ordered alike, those not told apart)."""
    known = [
        (truth[at], values[at]) for at in columns.of_group(group) if truth[at] == truth[at] and values[at] == values[at]
    ]
    pairs = alike = tied = 0
    for (right, value), (other_right, other) in combinations(known, 2):
        if right != other_right:
            pairs += 1
            alike += (value > other) == (right > other_right) and value != other
            tied += value == other
    return pairs, alike, tied
