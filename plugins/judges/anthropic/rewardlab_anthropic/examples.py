"""Examples for the laws of judges, for which the user gives the model and the server."""

from rewardlab import Ask
from rewardlab.laws import JudgeExample

QUESTIONS = ("Reply with the single word yes.", "Reply with the single word no.", "How much is 2 + 3?")


def examples() -> list[JudgeExample]:
    """Return short questions, and options that change who answers."""
    return [
        JudgeExample(
            options={"max_tokens": 64},
            needs=("model", "base_url"),
            asks=[Ask(messages=({"role": "user", "content": question},)) for question in QUESTIONS],
            other_options=[
                {"model": "another-model"},
                {"temperature": 0.7},
                {"max_tokens": 16},
                {"top_p": 0.5},
                {"top_k": 5},
                {"extra_body": {"thinking": {"type": "adaptive"}}},
            ],
        )
    ]
