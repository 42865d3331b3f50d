"""Which part of a completion is looked at."""

from typing import Literal

from rewardlab import parts

Part = Literal["response", "reasoning", "answer", "both"]


def answer(text: str) -> str:
    """The body of the last `<answer>` in the response; the response where there is none."""
    body = parts.answer(text)
    return parts.response(text) if body is None else body


def select(text: str, part: Part) -> dict[str, str | None]:
    """The texts to measure, by name; "both" has two, each of which must pass."""
    if part == "both":
        return {"response": parts.response(text), "reasoning": parts.reasoning(text)}
    return {part: {"response": parts.response, "reasoning": parts.reasoning, "answer": answer}[part](text)}
