"""Answers to compare, and a judge that knows which is right, to try the components with (rewardlab.laws)."""

from typing import Any

from rewardlab import Ask, Reply, Sample
from rewardlab.boxes import last_box
from rewardlab.laws import RewardExample

PENS = Sample(
    id="pens",
    prompt=({"role": "user", "content": "Ann has 3 red pens and 4 blue ones. How many pens does she have?"},),
    fields={"reference": r"3 + 4 = 7. \boxed{7}", "answer": "7"},
)
RIGHT = [r"3 + 4 = 7, so \boxed{7}.", r"<think>\boxed{8}?</think>She has \boxed{7} pens."]
WRONG = [r"3 + 4 = 8, so \boxed{8}.", "Many.", r"\boxed{7} or \boxed{12}"]


class Marker:
    r"""Prefers the answer whose last box is 7; `\boxed{tie}`, which is no verdict, where both or none are right.

    decides: of two answers of the same worth it prefers the shorter one, whichever stands first.
    """

    def __init__(self, decides: bool = False):
        self._decides = decides

    async def ask(self, ask: Ask) -> Reply:
        a, b = ask.parts["a"], ask.parts["b"]
        worth_a, worth_b = last_box(a) == "7", last_box(b) == "7"
        if worth_a == worth_b:
            winner = ("A" if (len(a), a) < (len(b), b) else "B") if self._decides else "tie"
        else:
            winner = "A" if worth_a else "B"
        return Reply(text=rf"The better one is \boxed{{{winner}}}", finish_reason="stop", completion_tokens=8)


def _undecided() -> dict[str, Marker]:
    return {"marker": Marker()}


def _decided() -> dict[str, Marker]:
    """What has no verdict is a loss of the first there, so that a tie would be lost by both."""
    return {"marker": Marker(decides=True)}


def win_rate() -> list[RewardExample]:
    """All orders, fewer opponents, and what the judge may see besides."""
    ways: dict[str, dict[str, Any]] = {
        "both": {"orders": "both"},
        "balanced": {"orders": "balanced"},
        "a_only": {"orders": "a_only"},
        "privileged": {"privileged": "reference"},
        "opponents": {"opponents": 2},
        "sp3f_official": {"profile": "sp3f_official"},
    }
    return [
        RewardExample(
            title=title,
            sample=PENS,
            good=RIGHT,
            bad=WRONG,
            options={"judge": "marker", **options},
            judges=_undecided if title != "sp3f_official" else _decided,
        )
        for title, options in ways.items()
    ]
