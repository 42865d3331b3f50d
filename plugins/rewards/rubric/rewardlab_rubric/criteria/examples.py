"""Examples of criteria for the laws, and a judge that knows which of them a response meets."""

from rewardlab import Ask, Reply
from rewardlab.laws import RewardExample
from rewardlab.text import fence_key
from rewardlab_answers import last_box

from rewardlab_rubric.criteria.question import TAG
from rewardlab_rubric.examples import PENS, RIGHT, WRONG

CRITERIA = [
    {"criterion": "Its answer is 7.", "weight": 5},
    {"criterion": "It has several answers.", "weight": -2},
    {"criterion": "It is written in verse.", "weight": 1},
]


class CriteriaJudge:
    """A judge of CRITERIA."""

    async def ask(self, ask: Ask) -> Reply:
        response, tag = ask.parts["response"], fence_key(ask.parts)[:TAG]
        met = (last_box(response) == "7", response.count("boxed") > 1, False)
        lines = [
            f"{tag} {number} | so it is | {'met' if is_met else 'not met'}" for number, is_met in enumerate(met, 1)
        ]
        return Reply(text="\n".join(lines), finish_reason="stop", completion_tokens=9)


def criteria() -> list[RewardExample]:
    """Return an example for each way in which weights make a value."""
    return [
        RewardExample(
            title=worth,
            sample=PENS,
            good=RIGHT,
            bad=WRONG,
            options={"judge": "key", "rubric": CRITERIA, "worth": worth},
            judges=lambda: {"key": CriteriaJudge()},
        )
        for worth in ("linear", "clipped")
    ]
