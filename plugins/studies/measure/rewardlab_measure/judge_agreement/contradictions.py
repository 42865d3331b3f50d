"""Labels that contradict themselves: of one prompt, texts that are better than themselves by way of others."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import combinations

from rewardlab.data import prompt_hash
from rewardlab.errors import Problem

from rewardlab_measure.judge_agreement.gold_rows import GoldCase

Edges = dict[str, dict[str, str]]
"""better text: {worse text: where a row says so}"""


def contradictions(cases: Sequence[GoldCase]) -> list[tuple[GoldCase, Problem]]:
    """Return each case that others contradict: a pair marked both ways, or a circle of labels about one prompt."""
    ranked: defaultdict[tuple[str, str | None], Edges] = defaultdict(lambda: defaultdict(dict))
    for case in cases:
        for better, worse in _ranked(case):
            ranked[_about(case)][better].setdefault(worse, case.row.group.sample.source)
    found = ((case, _others(case, ranked[_about(case)])) for case in cases)
    return [
        (case, Problem(where=case.row.group.sample.source, what=f"contradicts {' and '.join(others)}: {WRONG}"))
        for case, others in found
        if others
    ]


WRONG = "by these labels an answer is better than itself"


def _about(case: GoldCase) -> tuple[str, str | None]:
    return prompt_hash(case.row.group.sample.prompt), case.language


def _ranked(case: GoldCase) -> Iterator[tuple[str, str]]:
    """Yield (the better text, the worse one) for each pair of a case's answers with different gold."""
    completions = case.row.group.completions  # in the order that is shown
    texts = {index: completions[place].text for place, index in enumerate(case.order)}
    for i, j in combinations(range(len(case.gold)), 2):
        if case.gold[i] != case.gold[j]:
            yield (texts[i], texts[j]) if case.gold[i] > case.gold[j] else (texts[j], texts[i])


def _others(case: GoldCase, edges: Edges) -> list[str]:
    """Return where the labels stand by which a worse answer of a case is better than its better one."""
    return next((path for better, worse in _ranked(case) if (path := _path(edges, worse, better))), [])


def _path(edges: Edges, start: str, end: str) -> list[str]:
    """Return where the fewest labels stand that lead from one text to a worse one; none if none do."""
    ways: dict[str, list[str]] = {start: []}
    waiting = deque([start])
    while waiting and end not in ways:
        text = waiting.popleft()
        for worse, where in edges.get(text, {}).items():
            if worse not in ways:
                ways[worse] = [*ways[text], where]
                waiting.append(worse)
    return ways.get(end, [])
