"""Examples for the laws of the toy components."""

from rewardlab import Ask, Sample
from rewardlab.laws import DatasetExample, JudgeExample, RewardExample

from toy_rewards.rewards import PoliteJudge

PROMPT = (
    "You sit at a table with people whom you do not know. Nobody has said a word yet. Ask for the salt, in a few words."
)
SAMPLE = Sample(id="salt", prompt=[{"role": "user", "content": PROMPT}])


def _ask(text):
    return Ask(messages=({"role": "user", "content": f"Is this polite? {text}"},), parts={"a": text})


def of_brevity():
    return [
        RewardExample(
            title="five words",
            sample=SAMPLE,
            good=["The salt, please."],
            bad=["Well, if I may say so, what I would like to have now is salt."],
            options={"words": 5},
        )
    ]


def of_prefer():
    return [
        RewardExample(
            sample=SAMPLE,
            good=["The salt, please."],
            bad=["Salt!"],
            options={"judge": "main"},
            judges=lambda: {"main": PoliteJudge()},
        )
    ]


def of_polite():
    return [JudgeExample(asks=[_ask("The salt, please."), _ask("Salt!")])]


def of_counting():
    return [DatasetExample(title="three rows", options={"rows": 3})]
