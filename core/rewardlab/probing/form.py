"""The form of a response (think and answer tags, a box), and other texts put into the same form.

A degenerate completion without the honest one's form would fail a format gate and show nothing else.
"""

import re
from dataclasses import dataclass

from rewardlab.boxes import last_box
from rewardlab.parts import answer, reasoning, response

_BOX = re.compile(r"\\boxed\s*\{([^{}]*)\}")


@dataclass(frozen=True, kw_only=True)
class Form:
    """Whether a response thinks in a think block, answers in answer tags, boxes its answer."""

    thinks: bool
    tagged: bool
    boxed: bool

    @classmethod
    def of(cls, text: str) -> "Form":
        """The form that this response has."""
        return cls(
            thinks=reasoning(text) is not None,
            tagged=answer(text) is not None,
            boxed=last_box(_final(text)) is not None,
        )

    def write(self, thought: str, answered: str) -> str:
        """A response in this form."""
        final = f"\\boxed{{{answered}}}" if self.boxed else answered
        final = f"<answer>{final}</answer>" if self.tagged else final
        if self.thinks:
            return f"<think>{thought}</think>" + (final if self.tagged else f"\n{final}")
        return "\n\n".join(part for part in (thought, final) if part)


@dataclass(frozen=True, kw_only=True)
class Taken:
    """A response taken apart. reasoning: its prose without boxes. answer: of the box, the tags, or after the thoughts.

    Without any of them it is all reasoning, and the answer is "".
    """

    form: Form
    reasoning: str
    answer: str


def taken_apart(text: str) -> Taken:
    """The reasoning and the answer of a response, in whatever form it is."""
    form, final = Form.of(text), _final(text)
    thought = reasoning(text)
    if thought is None:
        thought = response(text).rpartition("<answer>")[0] if form.tagged else text
    answered = last_box(final) if form.boxed else final if form.tagged or form.thinks else ""
    return Taken(form=form, reasoning=_BOX.sub(r"\1", thought).strip(), answer=(answered or "").strip())


def _final(text: str) -> str:
    """Where the answer stands: in the answer tags, else in what follows the thoughts."""
    tagged = answer(text)
    return response(text) if tagged is None else tagged
