"""The law of rewards that ask judges: where these have no answer, there is no value."""

from collections.abc import Sequence
from typing import Any

from rewardlab.testing.bench import Bench, another_bench
from rewardlab.testing.outcome import NothingToTry
from rewardlab.testing.reward_laws import case
from rewardlab.testing.reward_laws.difference import asked, in_words
from rewardlab.testing.told import failing
from rewardlab.testing.trial import Trial
from rewardlab.types import Ask, Completion, Reply, Score

FAILURE = "no answer"
NO_VALUE = "an error or an abstention: no answer is no low score"


class _Silent:
    """A judge as a host gives it when every try has failed; it counts the questions."""

    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, ask: Ask) -> Reply:
        self.asked += 1
        return Reply(error=FAILURE)

    def understood(self, reply: Reply, ok: bool) -> None:
        """There was nothing to understand."""


def unanswered(tested: Trial) -> int:
    """Completions, or groups, of which it asks nothing may have a value all the same."""
    if not tested.judges:
        raise NothingToTry("it is given no judge")
    silent = {name: _Silent() for name in tested.judges}
    seen = 0
    with another_bench(tested, judges=silent) as failing_bench:
        for completions in _calls(tested):
            scores, questions = _asked(failing_bench, tested, completions, silent)
            if not questions:
                continue
            seen += len(completions)
            for place, score in enumerate(scores):
                if score.value is not None:
                    asked_of = f"{asked(tested, completions, place)}where each judge fails"
                    raise failing(asked_of, in_words(score), NO_VALUE)
    return seen


def _calls(tested: Trial) -> list[list[Completion]]:
    """Each of the example's completions alone, or where a group is what is judged all of them."""
    known = case.known(tested) or case.hard(tested, case.MOST)
    return [known] if tested.spec.scope == "group" else [[one] for one in known]


def _asked(
    of: Bench, tested: Trial, completions: Sequence[Completion], judges: dict[str, Any]
) -> tuple[list[Score], int]:
    """The scores, and how many questions they took."""
    before = sum(judge.asked for judge in judges.values())
    scores = of.score(case.items(tested.example.sample, completions))
    return scores, sum(judge.asked for judge in judges.values()) - before
