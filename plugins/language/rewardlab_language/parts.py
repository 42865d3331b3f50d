"""Which part of a completion is looked at."""

import re
from typing import Literal

Part = Literal["response", "reasoning", "answer", "both"]

_OPEN, _CLOSE = "<think>", "</think>"
_ANSWER = re.compile(r"<answer>((?:(?!<answer>).)*?)(?:</answer>|\Z)", re.DOTALL)


def response(text: str) -> str:
    """What follows the last `</think>`; the whole text where there is none."""
    return text.rpartition(_CLOSE)[2]


def reasoning(text: str) -> str | None:
    """The body of the think block; None where there is none.

    It reaches from the first `<think>` (or from the start, where the chat template opened it) to the last
    `</think>` (or to the end, where the text was cut short).
    """
    if _OPEN not in text and _CLOSE not in text:
        return None
    body = text.rpartition(_CLOSE)[0] if _CLOSE in text else text
    return body.partition(_OPEN)[2] if _OPEN in body else body


def answer(text: str) -> str:
    """The body of the last `<answer>` in the response; the response where there is none."""
    rest = response(text)
    bodies = _ANSWER.findall(rest)
    return bodies[-1] if bodies else rest


def select(text: str, part: Part) -> dict[str, str | None]:
    """The texts to measure, by name; "both" has two, each of which must pass."""
    if part == "both":
        return {"response": response(text), "reasoning": reasoning(text)}
    return {part: {"response": response, "reasoning": reasoning, "answer": answer}[part](text)}
