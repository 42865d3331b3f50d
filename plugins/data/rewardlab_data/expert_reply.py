"""Read an expert's reply: its reasoning and answer, or why it does not have the form that the prompt asks for."""

import re
from dataclasses import dataclass

from rewardlab import Reply
from rewardlab.text import sections

SHOWN = 80
"""characters of a reply in a message"""
_TAG = re.compile("|".join(sections.TAGS))
_EMPTY_THOUGHTS = re.compile(r"\A\s*(?:<think>\s*)?</think>")
"""an empty think block, or the end of one that a chat template opened"""


class IllFormedReply(Exception):
    """A reply that cannot serve as a reference. `reason` is one of a few texts, `detail` shows this reply."""

    def __init__(self, reason: str, text: str):
        text = " ".join(text.split())
        self.reason = reason
        self.detail = f"{reason}: {text if len(text) <= SHOWN else text[: SHOWN - 3] + '...'!r}"
        super().__init__(self.detail)


@dataclass(frozen=True, kw_only=True)
class Reference:
    """An expert's reasoning and answer: texts, stripped, neither of them blank."""

    reasoning: str
    answer: str

    @property
    def text(self) -> str:
        """The whole response, in the form that a policy has to give."""
        return f"<think>{self.reasoning}</think><answer>{self.answer}</answer>"


def read_reference(reply: Reply, bare: bool) -> Reference:
    """Return the parts of a reply. Raises IllFormedReply for one that was cut off, is empty, or has another form.

    Thoughts in the text itself count where there are some; a `<think>` that a chat template opened is put back. Else
    the reasoning that the server sends separately becomes the think block: without the four tags, which it may
    mention, and in place of an empty block in the text.
    bare: what follows the think block may stand without tags; all of it is the answer.
    """
    if reply.finish_reason == "length":
        raise IllFormedReply("cut off at the limit of tokens", reply.text[-SHOWN:])
    if not reply.text.strip():
        raise IllFormedReply("empty", reply.reasoning or "")
    parts = sections.split(_response(reply, bare))
    if parts is None:
        raise IllFormedReply("not <think>...</think><answer>...</answer>", reply.text)
    return Reference(reasoning=parts[0], answer=parts[1])


def _response(reply: Reply, bare: bool) -> str:
    """Return reasoning and text of a reply as one response, with the tags that are known to be missing."""
    text = reply.text
    # a space replaces each tag, so that what stood around it makes no new one
    separate = _TAG.sub(" ", reply.reasoning or "").strip()
    if separate and not (sections.reasoning(text) or "").strip():
        text = f"<think>{separate}</think>{_EMPTY_THOUGHTS.sub('', text)}"
    elif "</think>" in text and "<think>" not in text:
        text = f"<think>{text}"
    thought, closing, answered = text.rpartition("</think>")
    if bare and closing and "<answer>" not in answered and "</answer>" not in answered:
        text = f"{thought}{closing}<answer>{answered}</answer>"
    return text
