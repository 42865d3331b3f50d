"""Select the part of a completion that is measured."""

from typing import Literal

from rewardlab_answers import sections

Part = Literal["response", "reasoning", "answer", "both"]


def answer(text: str) -> str:
    """Return the body of the last `<answer>` in the response; the response if it has none."""
    body = sections.answer(text)
    return sections.response(text) if body is None else body


def select(text: str, part: Part) -> dict[str, str | None]:
    """Return the texts to measure, by name; "both" has two, each of which must pass."""
    if part == "both":
        return {"response": sections.response(text), "reasoning": sections.reasoning(text)}
    return {part: {"response": sections.response, "reasoning": sections.reasoning, "answer": answer}[part](text)}
