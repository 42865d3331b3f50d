"""What an expert replied: reasoning and answer, or why the reply is not in the form that was asked for."""

import re
from dataclasses import dataclass

from rewardlab import Reply
from rewardlab.parts import TAGS, reasoning, split

SHOWN = 80
"""characters of a reply in a message"""
_TAG = re.compile("|".join(TAGS))
_NO_THOUGHTS = re.compile(r"\A\s*(?:<think>\s*)?</think>")
"""a think block, or the end of one that a chat template opened, without content"""


class IllFormed(Exception):
    """A reply that is no reference. `reason` is one of a few, `detail` shows this one."""

    def __init__(self, reason: str, text: str):
        text = " ".join(text.split())
        self.reason = reason
        self.detail = f"{reason}: {text if len(text) <= SHOWN else text[: SHOWN - 3] + '...'!r}"
        super().__init__(self.detail)


@dataclass(frozen=True, kw_only=True)
class Reference:
    """reasoning, answer: texts, stripped, neither of them blank."""

    reasoning: str
    answer: str

    @property
    def text(self) -> str:
        """The whole response, in the form that a policy is asked for."""
        return f"<think>{self.reasoning}</think><answer>{self.answer}</answer>"


def understood(reply: Reply, bare: bool) -> Reference:
    """The parts of a reply. Raises IllFormed for one that was cut off, is empty, or has another form.

    The text's own thoughts count where it has some; a `<think>` that a chat template opened is put back. Else what
    the server sends apart is its think block: without the four tags, which it may mention, and in place of an
    empty block of the text's. bare: what follows the think block may stand without tags; all of it is the answer.
    """
    if reply.finish_reason == "length":
        raise IllFormed("cut off at the limit of tokens", reply.text[-SHOWN:])
    if not reply.text.strip():
        raise IllFormed("empty", reply.reasoning or "")
    parts = split(_whole(reply, bare))
    if parts is None:
        raise IllFormed("not <think>...</think><answer>...</answer>", reply.text)
    return Reference(reasoning=parts[0], answer=parts[1])


def _whole(reply: Reply, bare: bool) -> str:
    text = reply.text
    # a space in a tag's place, so that what stood around it makes no new one
    apart = _TAG.sub(" ", reply.reasoning or "").strip()
    if apart and not (reasoning(text) or "").strip():
        text = f"<think>{apart}</think>{_NO_THOUGHTS.sub('', text)}"
    elif "</think>" in text and "<think>" not in text:
        text = f"<think>{text}"
    thought, closing, answered = text.rpartition("</think>")
    if bare and closing and "<answer>" not in answered and "</answer>" not in answered:
        text = f"{thought}{closing}<answer>{answered}</answer>"
    return text
