"""The parts of a response that thinks first: `<think>reasoning</think><answer>answer</answer>`.

Each function takes time linear in the text.
"""

import re

TAGS = ("<think>", "</think>", "<answer>", "</answer>")
_MARK = re.compile("|".join(TAGS))


def response(text: str) -> str:
    """Return the text after the last `</think>`; the whole text if it has none."""
    return text.rpartition("</think>")[2]


def final(text: str) -> str:
    """Return the response; "" if the text begins with thoughts that it does not end: a draft is no response."""
    said = response(text)
    return "" if said.lstrip().startswith("<think>") else said


def reasoning(text: str) -> str | None:
    """Return the body of the think block; None if there is none.

    It extends from the first `<think>` (or the start, if the chat template opened it) to the last `</think>` (or the
    end, if the text was cut short).
    """
    if "<think>" not in text and "</think>" not in text:
        return None
    body = text.rpartition("</think>")[0] if "</think>" in text else text
    return body.partition("<think>")[2] if "<think>" in body else body


def answer(text: str) -> str | None:
    """Return the body of the last `<answer>` in the response, to the end if it was cut short; None if there is none.

    Thoughts that do not end have none.
    """
    _, tag, body = final(text).rpartition("<answer>")
    return body.partition("</answer>")[0] if tag else None


def split(text: str) -> tuple[str, str] | None:
    """Split a text that is exactly `<think>reasoning</think><answer>answer</answer>` into its two bodies, stripped.

    Return None for anything else: text outside of the tags, a tag that is missing or repeated, a blank body.
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
