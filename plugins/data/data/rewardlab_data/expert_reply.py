"""Read an expert's reply: its reasoning and answer, or why it does not have the form that the prompt asks for."""

import re
from dataclasses import dataclass

from rewardlab import Reply
from rewardlab_answers import sections

SHOWN = 80
"""characters of a reply in a message"""
MAX_REFUSAL = 400
"""characters of an answer in which a refusal shows"""
_TAG = re.compile("|".join(sections.TAGS))
_REFUSAL = re.compile(
    r"""(?:(?:i['’]?m|i\ am)?\ ?(?:very\ |so\ )?sorry[,.;:]?\ (?:but\ )?)?
    (?:as\ an\ ai[^.]{0,60}[,.]\ ?)?(?:unfortunately,?\ )?
    i\ (?:cannot|can['’]?t|can\ not|could\ not|couldn['’]t|won['’]t|will\ not|am\ unable\ to|am\ not\ able\ to
        |must\ decline\ to|have\ to\ decline\ to|refuse\ to|decline\ to|do\ not|don['’]t)
    \ (?:help|assist|answer|respond|provide|comply|fulfil|engage|discuss|support|continue
        |do\ (?:that|this)|know|have\ an\ answer)\b
    |(?:抱歉|对不起|很抱歉)[，,]?(?:但)?我(?:无法|不能)
    |(?:n/?a|no\ answer|not\ sure)\.?\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""how an answer begins that is a refusal, in English, or in Chinese as some experts refuse English questions"""
_EMPTY_THOUGHTS = re.compile(r"\A\s*(?:<think>\s*)?</think>")
"""an empty think block, or the end of one that a chat template opened"""


class IllFormedReply(Exception):
    """A reply that cannot serve as a reference. `reason` is one of a few texts, `detail` shows this reply."""

    def __init__(self, reason: str, text: str) -> None:
        text = " ".join(text.split())
        self.reason = reason
        self.detail = f"{reason}: {text if len(text) <= SHOWN else text[: SHOWN - 3] + '...'!r}"
        super().__init__(self.detail)


@dataclass(frozen=True, kw_only=True)
class ExpertAnswer:
    """An expert's reasoning and answer: texts, stripped, neither of them blank."""

    reasoning: str
    answer: str

    @property
    def text(self) -> str:
        """The whole response, in the form that a policy has to give."""
        return f"<think>{self.reasoning}</think><answer>{self.answer}</answer>"


def read_reference(reply: Reply, bare: bool) -> ExpertAnswer:
    """Return the parts of a reply. Raises IllFormedReply if it was cut off, is empty, or has another form.

    Thoughts in the text itself count if present; a `<think>` that a chat template opened is put back. Else the
    reasoning that the server sends separately becomes the think block: without the four tags, which it may mention, and
    in place of an empty block in the text.

    Args:
        bare: what follows the think block may stand without tags; all of it is the answer. An answer that refuses, in
            any form, does not count.
    """
    if reply.cut_off:
        raise IllFormedReply("cut off at the token limit", reply.text[-SHOWN:])
    if not reply.text.strip():
        raise IllFormedReply("empty", reply.reasoning or "")
    parts = sections.split(_response(reply, bare))
    if parts is None:
        raise IllFormedReply("not <think>...</think><answer>...</answer>", reply.text)
    if is_refusal(parts[1]):
        raise IllFormedReply("a refusal", parts[1])
    return ExpertAnswer(reasoning=parts[0], answer=parts[1])


def is_refusal(answer: str) -> bool:
    """Return whether an answer begins like a refusal, or is empty."""
    return _REFUSAL.match(" ".join(answer[:MAX_REFUSAL].split()).lstrip("*_\"'“ ")) is not None


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
