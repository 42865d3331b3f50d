"""Components against people, who say which of two completions is better: agreement, Cohen's kappa, disagreements.

A component finds that one better which won more of its verdicts about the two, or else has the higher value. Labels of
one problem count together in the intervals.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rewardlab_measure.judge_agreement import kappa_average
from rewardlab_measure.tables import TableAverage, clustered_average

from rewardlab_viewer.read.columns import ScoreColumns
from rewardlab_viewer.read.labels import FoundLabel
from rewardlab_viewer.read.source import number

MAX_DISAGREEMENTS = 200
WINS = {"A": 1, "B": -1}
Marks = tuple[bool, bool]
"""(one rater finds that text better which the pair's coin calls heads, the other does)"""


@dataclass(frozen=True, kw_only=True)
class RaterAgreement:
    """The agreement of two raters about pairs: a component and people, or two persons.

    Args:
        pairs: those about which both say something.
        undecided: those that the component does not tell apart, or to which it gave no value; they count nowhere
            else.
        kappa: None if chance alone agrees fully.
    """

    rater: str
    other: str
    pairs: int
    undecided: int
    agreement: TableAverage | None
    kappa: TableAverage | None


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """A pair that a component ranks the other way than people. people: how many say so, and how many say otherwise."""

    component: str
    group: int
    problem: str
    better: int
    worse: int
    people: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class PeopleSection:
    """Components against people, people against each other, and where a component and people disagree, most first."""

    components: Sequence[RaterAgreement]
    people: Sequence[RaterAgreement]
    disagreements: Sequence[Disagreement]


def people_section(columns: ScoreColumns, labels: Sequence[FoundLabel]) -> PeopleSection | None:
    """Return the section; None without labels."""
    if not labels:
        return None
    persons = sorted({label.person for label in labels})
    of_person = {person: [label for label in labels if label.person == person] for person in persons}
    everyone = [("all people", labels)] if len(persons) > 1 else []
    return PeopleSection(
        components=[
            _against(columns, name, person, chosen)
            for name in columns.components
            for person, chosen in (*everyone, *of_person.items())
        ],
        people=[
            _between(columns, (person, of_person[person]), (other, of_person[other]))
            for person, other in combinations(persons, 2)
        ],
        disagreements=_disagreements(columns, labels)[:MAX_DISAGREEMENTS],
    )


def _against(columns: ScoreColumns, name: str, person: str, labels: Sequence[FoundLabel]) -> RaterAgreement:
    ranked = [(label, lead) for label in labels if (lead := _lead(label, name))]
    marks = [(label.heads, label.heads == (lead > 0)) for label, lead in ranked]
    problems = [columns.problem[label.group] for label, _ in ranked]
    return _agreement(name, person, marks, problems, len(labels) - len(ranked))


def _between(
    columns: ScoreColumns, rater: tuple[str, Sequence[FoundLabel]], other: tuple[str, Sequence[FoundLabel]]
) -> RaterAgreement:
    heads = {_pair(label): label.heads for label in other[1]}
    both = [label for label in rater[1] if _pair(label) in heads]
    marks = [(label.heads, heads[_pair(label)]) for label in both]
    return _agreement(rater[0], other[0], marks, [columns.problem[label.group] for label in both], 0)


def _pair(label: FoundLabel) -> tuple[int, int, int]:
    return label.group, min(label.better, label.worse), max(label.better, label.worse)


def _lead(label: FoundLabel, name: str) -> float:
    """Return a number above 0 if a component finds the better one better, too, below if not; 0 if it does not say."""
    better, worse = (line["components"].get(name) or {} for line in label.lines)
    at_better, at_worse = (str(line["index"]) for line in label.lines)
    if verdicts := _win(better, at_worse) - _win(worse, at_better):
        return verdicts
    lead = number(better.get("value")) - number(worse.get("value"))
    return lead if lead == lead else 0.0


def _win(entry: Mapping[str, Any], other: str) -> int:
    """Return 1 if the completion won its verdict about the other one, standing first; -1 if it lost, 0 without one."""
    verdicts = (entry.get("info") or {}).get("verdicts")
    verdict = verdicts.get(other) if isinstance(verdicts, Mapping) else None
    return WINS.get(verdict, 0) if isinstance(verdict, str) else 0


def _agreement(
    rater: str, other: str, marks: Sequence[Marks], problems: Sequence[int], undecided: int
) -> RaterAgreement:
    return RaterAgreement(
        rater=rater,
        other=other,
        pairs=len(marks),
        undecided=undecided,
        agreement=clustered_average([float(first == two) for first, two in marks], problems, "share"),
        kappa=kappa_average(marks, problems),
    )


def _disagreements(columns: ScoreColumns, labels: Sequence[FoundLabel]) -> list[Disagreement]:
    """Return each pair and component that most people rank the other way; those with the most people first."""
    by_pair: dict[tuple[int, int, int], list[FoundLabel]] = defaultdict(list)
    for label in labels:
        by_pair[_pair(label)].append(label)
    problems = list(columns.problems)
    pairs = [
        Disagreement(
            component=name,
            group=first.group,
            problem=problems[columns.problem[first.group]],
            better=first.better,
            worse=first.worse,
            people=(against, len(of_pair) - against),
        )
        for name in columns.components
        for of_pair in by_pair.values()
        for first, against in _against_most(of_pair, name)
    ]
    return sorted(
        pairs,
        key=lambda disagreement: (
            disagreement.people[1] - disagreement.people[0],
            disagreement.component,
            disagreement.group,
        ),
    )


def _against_most(labels: Sequence[FoundLabel], name: str) -> Iterator[tuple[FoundLabel, int]]:
    against = [label for label in labels if _lead(label, name) < 0]
    if 2 * len(against) > len(labels):
        yield against[0], len(against)
