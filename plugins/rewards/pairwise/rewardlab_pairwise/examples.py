"""Examples for the laws of pairwise/win_rate: answers to compare, and a judge that knows which is right."""

from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import RewardExample
from rewardlab_answers import last_box

PENS = Sample(
    id="pens",
    prompt=({"role": "user", "content": "Ann has 3 red pens and 4 blue ones. How many pens does she have?"},),
    fields={"reference": r"3 + 4 = 7. \boxed{7}", "answer": "7"},
)
RIGHT = [r"3 + 4 = 7, so \boxed{7}.", r"<think>\boxed{8}?</think>She has \boxed{7} pens."]
WRONG = [r"3 + 4 = 8, so \boxed{8}.", "Many.", r"\boxed{7} or \boxed{12}"]


class BoxedKeyJudge:
    r"""A judge that prefers the answer whose last box is 7.

    If both or none are right it says `\boxed{tie}`; with `decides` it prefers the shorter one, whichever stands first.
    """

    def __init__(self, decides: bool = False) -> None:
        self._decides = decides

    async def ask(self, ask: Ask) -> Reply:
        a, b = ask.parts["a"], ask.parts["b"]
        worth_a, worth_b = last_box(a) == "7", last_box(b) == "7"
        if worth_a == worth_b:
            winner = ("A" if (len(a), a) < (len(b), b) else "B") if self._decides else "tie"
        else:
            winner = "A" if worth_a else "B"
        return Reply(text=rf"The better one is \boxed{{{winner}}}", finish_reason="stop", completion_tokens=8)


def _judge_with_ties() -> dict[str, BoxedKeyJudge]:
    return {"answer_key": BoxedKeyJudge()}


def _judge_without_ties() -> dict[str, BoxedKeyJudge]:
    """Return a judge for the official profile, in which both lose a tie."""
    return {"answer_key": BoxedKeyJudge(decides=True)}


def win_rate() -> list[RewardExample]:
    """Return examples of all orders, of fewer opponents, of fitted strengths, and of a privileged judge."""
    ways: dict[str, dict[str, Any]] = {
        "both": {"orders": "both"},
        "balanced": {"orders": "balanced"},
        "a_only": {"orders": "a_only"},
        "privileged": {"privileged": "reference"},
        "opponents": {"opponents": 2},
        "sp3f_official": {"profile": "sp3f_official"},
        "strengths": {"orders": "balanced", "scores": "bradley_terry"},
        "anchor": {"design": "anchor"},
    }
    return [
        RewardExample(
            title=title,
            sample=PENS,
            good=RIGHT,
            bad=WRONG,
            options={"judge": "answer_key", **options},
            judges=_judge_with_ties if title != "sp3f_official" else _judge_without_ties,
        )
        for title, options in ways.items()
    ]
