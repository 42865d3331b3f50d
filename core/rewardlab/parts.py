"""The parts of a response that thinks first: `<think>reasoning</think><answer>answer</answer>`.

Each function takes time linear in the text.
"""

import re

TAGS = ("<think>", "</think>", "<answer>", "</answer>")
_MARK = re.compile("|".join(TAGS))


def response(text: str) -> str:
    """What follows the last `</think>`; the whole text where there is none."""
    return text.rpartition("</think>")[2]


def reasoning(text: str) -> str | None:
    """The body of the think block; None where there is none.

    It reaches from the first `<think>` (or from the start, where the chat template opened it) to the last
    `</think>` (or to the end, where the text was cut short).
    """
    if "<think>" not in text and "</think>" not in text:
        return None
    body = text.rpartition("</think>")[0] if "</think>" in text else text
    return body.partition("<think>")[2] if "<think>" in body else body


def answer(text: str) -> str | None:
    """The body of the last `<answer>` in the response, to its end where it was cut short; None where there is none."""
    _, tag, body = response(text).rpartition("<answer>")
    return body.partition("</answer>")[0] if tag else None


def split(text: str) -> tuple[str, str] | None:
    """(reasoning, answer), stripped, of a text that is exactly the four tags, each once, in order, around two bodies.

    None for anything else: other text outside, a tag twice or missing, a blank body.
    """
    if tuple(match[0] for match in _MARK.finditer(text)) != TAGS:
        return None
    before, rest = text.split("<think>")
    thought, rest = rest.split("</think>")
    between, rest = rest.split("<answer>")
    answered, after = rest.split("</answer>")
    if before.strip() or between.strip() or after.strip() or not thought.strip() or not answered.strip():
        return None
    return thought.strip(), answered.strip()
