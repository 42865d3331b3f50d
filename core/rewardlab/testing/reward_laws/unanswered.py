"""The law of rewards that ask judges: where the judges have no answer, there is no value."""

from collections.abc import Sequence
from typing import Any

from rewardlab.testing.bench import Bench, another_bench
from rewardlab.testing.messages import violation
from rewardlab.testing.outcome import NothingToTry
from rewardlab.testing.reward_laws import cases
from rewardlab.testing.reward_laws.comparison import describe_asked, describe_score
from rewardlab.testing.trial import Trial
from rewardlab.types import Ask, Completion, Reply, Score

FAILURE = "no answer"
NO_VALUE = "an error or an abstention: no answer is no low score"


class _FailingJudge:
    """A judge as a host gives it when every try has failed. asked: how many questions there were."""

    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, ask: Ask) -> Reply:
        self.asked += 1
        return Reply(error=FAILURE)

    def understood(self, reply: Reply, ok: bool) -> None:
        """Do nothing: there was no answer to understand."""


def unanswered(tested: Trial) -> int:
    """Check all completions, or groups, about which it asks a judge; others may have a value."""
    if not tested.judges:
        raise NothingToTry("it is given no judge")
    judges = {name: _FailingJudge() for name in tested.judges}
    seen = 0
    with another_bench(tested, judges=judges) as bench:
        for completions in _calls(tested):
            scores, questions = _score(bench, tested, completions, judges)
            if not questions:
                continue
            seen += len(completions)
            for place, score in enumerate(scores):
                if score.value is not None:
                    asked = f"{describe_asked(tested, completions, place)}where each judge fails"
                    raise violation(asked, describe_score(score), NO_VALUE)
    return seen


def _calls(tested: Trial) -> list[list[Completion]]:
    """Return the example's completions one by one; of group scope, all of them in one call."""
    known = cases.known(tested) or cases.hard(tested, cases.MOST)
    return [known] if tested.spec.scope == "group" else [[one] for one in known]


def _score(
    bench: Bench, tested: Trial, completions: Sequence[Completion], judges: dict[str, Any]
) -> tuple[list[Score], int]:
    """Return the scores, and how many questions they took."""
    before = sum(judge.asked for judge in judges.values())
    scores = bench.score(cases.items(tested.example.sample, completions))
    return scores, sum(judge.asked for judge in judges.values()) - before
