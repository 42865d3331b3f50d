"""Examples of appeals for the laws: a rule that overlooks right answers, and a judge that does not."""

from dataclasses import replace
from typing import Any

from rewardlab import Ask, Reply
from rewardlab.laws import RewardExample
from rewardlab.text import fence_key

from rewardlab_rubric.criteria.question import TAG
from rewardlab_rubric.examples import JUDGED

RIGHT = '{"explanation": "right, with a reason", "score": 4}'
OVERLOOKED = '{"explanation": "right, with a reason", "points": "four"}'
WRONG = ["", '{"explanation": "right", "score": 5}', '{"explanation": "", "points": "five"}']


class FourJudge:
    """A judge that reads four as 4."""

    async def ask(self, ask: Ask) -> Reply:
        right = "four" in ask.parts["response"]
        text = f"{fence_key(ask.parts)[:TAG]} 1 | so it says | {'met' if right else 'not met'}"
        return Reply(text=text, finish_reason="stop", completion_tokens=9)


def appeal() -> list[RewardExample]:
    """Return an example of each that an appeal may be for."""
    unasked = {"unanswered": "the value is the rule's, whatever the judge says"}
    ways: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
        "replace": ({}, [RIGHT, OVERLOOKED], WRONG),
        "backward": ({"then": "correct", "rates": {"false_negative": 0.3}}, [RIGHT], [OVERLOOKED, *WRONG]),
        "forward": ({"then": "correct", "correction": "forward", "rates": {"false_negative": 0.3}}, [RIGHT], WRONG),
    }
    return [
        RewardExample(
            title=title,
            sample=replace(JUDGED, fields={"score": 4, "answer": "4"}),
            good=good,
            bad=bad,
            options={"judge": "key", "of": {"use": "rubric/verdict"}, **options},
            judges=lambda: {"key": FourJudge()},
            off={} if title == "replace" else unasked,
        )
        for title, (options, good, bad) in ways.items()
    ]
