"""Judges whose true accuracy, kappa, position bias and agreement of orders are known, for `interval_coverage.py`.

A judge reads pairs in both orders, or gives each answer of a list a value. Its numbers over very many problems, drawn
once from the same world, are the truth.
"""

import json
import tempfile
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from typing import Any

from rewardlab import Score
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_measure.judge_agreement.case_clusters import case_clusters
from rewardlab_measure.judge_agreement.gold_rows import GoldCase, read_cases
from rewardlab_measure.judge_agreement.judge_verdicts import judge_calls
from rewardlab_measure.judge_agreement.slices import JudgedCase, measures

RECIPE = {
    "version": 1,
    "judges": {"main": {"use": "pairwise/overlap"}},
    "reward": {
        "components": {"it": {"use": "pairwise/win_rate", "with": {"judge": "main", "privileged": "reference"}}},
        "total": "it",
    },
}
MANY = 30_000
"""problems that the truth is taken of"""


@dataclass(frozen=True, kw_only=True)
class JudgeWorld:
    """Rows with gold, and a judge.

    languages: of each problem, whose rows are right together or not at all. answers: of a row; of two it is a pair,
    of more a list of which each answer has a value. lead: of an answer over the next worse one, on a problem of
    middling difficulty, in deviations of what the judge thinks of an answer. difficulty: the spread of problems, alike.
    bias: what whoever stands first gets. as_rows: whether the pairs of a list stand in rows of their own. draws: times
    that a pair is asked.
    """

    problems: int
    languages: int = 1
    answers: int = 2
    lead: float = 1.0
    difficulty: float = 1.0
    bias: float = 0.0
    as_rows: bool = False
    draws: int = field(default=1, repr=False)

    def rows(self, problem: int) -> list[dict[str, Any]]:
        """Return the rows of a problem."""
        found = []
        for language in range(self.languages):
            row = {"problem": str(problem)} if self.languages > 1 else {}
            row |= {"prompt": f"{problem} in {language}?", "language": f"l{language:02}", "reference": "right"}
            texts = [f"{problem} {language} {answer}" for answer in range(self.answers)]
            if self.answers == 2:
                found.append({**row, "id": f"{problem}/{language}", "chosen": texts[1], "rejected": texts[0]})
            elif self.as_rows:
                found += [
                    {**row, "id": f"{problem}/{language}/{i}/{j}", "chosen": texts[i], "rejected": texts[j]}
                    for i in range(self.answers)
                    for j in range(i)
                ]
            else:
                ranks = list(range(self.answers))
                found.append({**row, "id": f"{problem}/{language}", "completions": texts, "scores": ranks})
        return found

    def values(self, random: Random) -> list[list[float]]:
        """Return what the judge thinks of the answers of a problem in each language."""
        harder = random.gauss(0, self.difficulty)
        return [
            [rank * (self.lead + harder) + random.gauss(0, 1) for rank in range(self.answers)]
            for _ in range(self.languages)
        ]


@cache
def _cases(world: JudgeWorld) -> list[tuple[GoldCase, int]]:
    """Return the cases of a world, read from a file, and the cluster of each."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        rows = [row for problem in range(world.problems) for row in world.rows(problem)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        cases, bad = read_cases(str(path), make_plan(load(RECIPE), purpose="score"))
    assert not bad.count
    return list(zip(cases, case_clusters(cases), strict=True))


@cache
def judge_measures(world: JudgeWorld, experiment: int) -> dict[str, Any]:
    """Return what `rewardlab judge` says of all rows of a world, judged once, the same for the same number."""
    random = Random(f"{world}/{experiment}")
    thoughts = {
        f"{problem} {language} {answer}": value
        for problem in range(world.problems)
        for language, values in enumerate(world.values(random))
        for answer, value in enumerate(values)
    }
    return measures([_judged(world, case, cluster, thoughts, random) for case, cluster in _cases(world)])


def judge_truth(world: JudgeWorld) -> dict[str, Any]:
    """Return the measures of very many problems; each language is like any other."""
    return judge_measures(replace(world, problems=MANY, languages=1, as_rows=False), -1)


def _judged(world: JudgeWorld, case: GoldCase, cluster: int, thoughts: dict[str, float], random: Random) -> JudgedCase:
    """Return a case with verdicts on a pair, in both orders, or with values of the answers of a list."""
    leads = [thoughts[completion.text] for completion in case.row.group.completions]
    scores = [Score(value=lead) for lead in leads]
    if len(leads) == 2 and world.answers == 2:
        ahead = leads[0] - leads[1]
        drawn = [[sign * ahead + world.bias + random.gauss(0, 1) > 0 for sign in (1, -1)] for _ in range(world.draws)]
        wins = [[(first[at] + (not first[1 - at])) / 2 for first in drawn] for at in range(2)]
        repeats = [{"repeats": {"values": {"main": own}, "spread": pstdev(own)}} if own[1:] else {} for own in wins]
        verdicts = [{"verdicts": {str(1 - at): "AB"[not drawn[0][at]]}} for at in range(2)]
        scores = [Score(value=fmean(wins[at]), info={**verdicts[at], **repeats[at]}) for at in range(2)]
    places = sorted(range(len(case.order)), key=lambda place: case.order[place])
    return JudgedCase(
        case=case,
        cluster=cluster,
        scores=[scores[place] for place in places],
        calls=judge_calls(scores, "completion"),
    )
