"""Select the part of a completion that is measured."""

from typing import Literal

from rewardlab_answers import sections

Part = Literal["response", "reasoning", "answer", "both"]


def answer(text: str) -> str:
    """Return the body of the last `<answer>`; without one the response, which thoughts that do not end do not have."""
    body = sections.answer(text)
    return sections.final(text) if body is None else body


def select(text: str, part: Part) -> dict[str, str | None]:
    """Return the texts to measure, by name; "both" has two, each of which must pass."""
    if part == "both":
        return {"response": sections.final(text), "reasoning": sections.reasoning(text)}
    return {part: {"response": sections.response, "reasoning": sections.reasoning, "answer": answer}[part](text)}
