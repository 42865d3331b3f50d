"""Examples for the laws of judges behind HTTP, for which the user gives the server, and of the reward that asks one."""

import json

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import JudgeExample, RewardExample

QUESTIONS = (
    "Reply with the single word yes.",
    "Reply with the single word no.",
    "How much is 2 + 3?",
)
BOOKS = Sample(
    id="books",
    prompt=({"role": "user", "content": "48 books stand on a shelf, and half of them are lent. How many are left?"},),
)
GOOD = ["Half of 48 is 24, so 24 books are left.", "<think>48 / 2</think>There are 24 books left, half of 48."]
BAD = ["", "I do not care about your books.", "<think>24 are left.</think>Go away."]


def examples_of_chat() -> list[JudgeExample]:
    """Return questions at temperature 0, so that answers can be compared."""
    return [
        JudgeExample(
            options={"temperature": 0.0},
            needs=("model", "base_url"),
            asks=[Ask(messages=({"role": "user", "content": question},)) for question in QUESTIONS],
            other_options=[
                {"model": "another-model"},
                {"temperature": 0.7},
                {"max_tokens": 16},
                {"top_p": 0.5},
                {"seed": 1},
                {"response_format": {"type": "json_object"}},
                {"extra_body": {"chat_template_kwargs": {"enable_thinking": False}}},
            ],
        )
    ]


def examples_of_pooling() -> list[JudgeExample]:
    """Return conversations of a question and an answer."""
    asked = {"role": "user", "content": "How much is 2 + 3?"}
    return [
        JudgeExample(
            needs=("model", "base_url"),
            asks=[Ask(messages=(asked, {"role": "assistant", "content": text})) for text in ("5", "6", "No idea.")],
            other_options=[
                {"model": "another-model"},
                {"endpoint": "classify"},
                {"extra_body": {"use_activation": False}},
            ],
        )
    ]


class BookModel:
    """A stand-in for a reward model: it likes answers that name the number of books."""

    async def ask(self, ask: Ask) -> Reply:
        text = ask.messages[-1]["content"]
        return Reply(text=json.dumps([2.0 * ("24" in text) - 1.0]), prompt_tokens=len(text), completion_tokens=0)


def _served() -> dict[str, BookModel]:
    return {"served": BookModel()}


def reward_model() -> list[RewardExample]:
    """Return an example with a stand-in for the served model."""
    return [
        RewardExample(title="response", sample=BOOKS, good=GOOD, bad=BAD, options={"judge": "served"}, judges=_served)
    ]
