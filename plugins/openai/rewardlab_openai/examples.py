"""Examples for the laws of the judge openai/chat: questions; the user gives the server."""

from rewardlab import Ask
from rewardlab.laws import JudgeExample

QUESTIONS = (
    "Reply with the single word yes.",
    "Reply with the single word no.",
    "How much is 2 + 3?",
)


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
