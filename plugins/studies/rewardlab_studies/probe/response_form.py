"""The form of a response (think and answer tags, a box), and other texts put into the same form.

A degenerate completion without the honest one's form would fail a format gate and show nothing else.
"""

import re
from dataclasses import dataclass

from rewardlab.text import last_box, sections

_BOX = re.compile(r"\\boxed\s*\{([^{}]*)\}")


@dataclass(frozen=True, kw_only=True)
class Form:
    """The form of a response: whether it has a think block, answer tags, and a box around its answer."""

    thinks: bool
    tagged: bool
    boxed: bool

    @classmethod
    def of(cls, text: str) -> "Form":
        """Return the form of this response."""
        return cls(
            thinks=sections.reasoning(text) is not None,
            tagged=sections.answer(text) is not None,
            boxed=last_box(_final(text)) is not None,
        )

    def write(self, thought: str, answered: str) -> str:
        """Write a response in this form with this reasoning and this answer."""
        final = f"\\boxed{{{answered}}}" if self.boxed else answered
        final = f"<answer>{final}</answer>" if self.tagged else final
        if self.thinks:
            return f"<think>{thought}</think>" + (final if self.tagged else f"\n{final}")
        return "\n\n".join(part for part in (thought, final) if part)


@dataclass(frozen=True, kw_only=True)
class ResponseParts:
    """The parts of a response. reasoning: its prose without boxes. answer: from the box, the tags, or after thinking.

    A response without box, tags and think block is all reasoning, and its answer is "".
    """

    form: Form
    reasoning: str
    answer: str


def response_parts(text: str) -> ResponseParts:
    """Return the reasoning and the answer of a response in any form."""
    form, final = Form.of(text), _final(text)
    thought = sections.reasoning(text)
    if thought is None:
        thought = sections.response(text).rpartition("<answer>")[0] if form.tagged else text
    answered = last_box(final) if form.boxed else final if form.tagged or form.thinks else ""
    return ResponseParts(form=form, reasoning=_BOX.sub(r"\1", thought).strip(), answer=(answered or "").strip())


def _final(text: str) -> str:
    """Return the text that holds the answer: the body of the answer tags, else what follows the think block."""
    tagged = sections.answer(text)
    return sections.response(text) if tagged is None else tagged
