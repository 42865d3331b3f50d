"""The form of a response (tags, a box, a block of code, a label), and other texts put into the same form.

A degenerate completion without the honest one's form would fail a format gate and show nothing else.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rewardlab_answers import last_box, sections

_BOX = re.compile(r"\\boxed\s*\{([^{}]*)\}")
_OPENS = re.compile(r"```([\w+-]*)\s*")
_SENTENCE = re.compile(r"(?<=[.!?]) +")
_LABEL = re.compile(
    r"(.{0,40}?(?:####|\banswer(?: is)?:|\banswer is)\**\s*|\W{0,4}\w+(?: \w+){0,2}:\**\s+|\s*<\w+>\s*)"
    r"(\S(?:.{0,200}?\S)??)([.*]{0,3}|\s*</\w+>)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Form:
    """The form of a response: whether it has a think block, answer tags, and a box around its answer.

    Args:
        code: the language of the block of code that is its answer, "" if the block names none; None if there is no
            such block. label, end: what stands before the answer in the last line, such as "Answer: ", and behind
            it; "" if nothing does.
    """

    thinks: bool
    tagged: bool
    boxed: bool
    code: str | None = None
    label: str = ""
    end: str = ""

    @classmethod
    def of(cls, text: str) -> "Form":
        """Return the form of this response."""
        final = _final(text)
        boxed = last_box(final) is not None
        block = None if boxed else last_block(final)
        labelled = None if boxed or block else _LABEL.fullmatch(_last_line(final)[1])
        return cls(
            thinks=sections.reasoning(text) is not None,
            tagged=sections.answer(text) is not None,
            boxed=boxed,
            code=block.language if block else None,
            label=labelled[1] if labelled else "",
            end=labelled[3] if labelled else "",
        )

    def write(self, thought: str, answered: str) -> str:
        """Write a response in this form with this reasoning and this answer."""
        final = f"\\boxed{{{answered}}}" if self.boxed else f"{self.label}{answered}{self.end}"
        if self.code is not None:
            final = f"```{self.code}\n{answered}\n```"
        final = f"<answer>{final}</answer>" if self.tagged else final
        if self.thinks:
            return f"<think>{thought}</think>" + (final if self.tagged else f"\n{final}")
        return "\n\n".join(part for part in (thought, final) if part)

    def several(self, answers: Sequence[str]) -> str:
        """Write a response with several answers, each in this form of its own."""
        form = replace(self, thinks=False)
        written = "\n".join(form.write("", answer) for answer in answers)
        return f"<think>...</think>{written}" if self.thinks else written


@dataclass(frozen=True, kw_only=True)
class ResponseParts:
    """The parts of a response.

    Without any of these it is what follows the think block. A response without that, too, is all reasoning, and its
    answer is "".

    Args:
        reasoning: its prose without boxes.
        answer: from the box, the code, the label or tags.
    """

    form: Form
    reasoning: str
    answer: str


def response_parts(text: str) -> ResponseParts:
    """Return the reasoning and the answer of a response in any form."""
    form, final = Form.of(text), _final(text)
    thought = sections.reasoning(text)
    if thought is None:
        thought = sections.response(text).rpartition("<answer>")[0] if form.tagged else _before_answer(form, text)
    return ResponseParts(form=form, reasoning=_BOX.sub(r"\1", thought).strip(), answer=_answer(form, final).strip())


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block of code.

    Args:
        language: "" if the fence names none.
        around: the other lines of the text.
    """

    language: str
    code: str
    around: str


def last_block(text: str) -> CodeBlock | None:
    """Return the last fenced block of code of a text; None if there is none."""
    lines, block, opened = text.splitlines(), None, None
    for number, line in enumerate(lines):
        if opened is None:
            opened = number if _OPENS.fullmatch(line) else None
        elif line.rstrip() == "```":
            block, opened = (opened, number), None
    if block is None:
        return None
    first, last = block
    language = lines[first].strip().removeprefix("```")
    return CodeBlock(language, "\n".join(lines[first + 1 : last]), "\n".join(lines[:first] + lines[last + 1 :]))


def _last_line(text: str) -> tuple[str, str]:
    """Return a text as what stands before its answer, and its last line; its last sentence if that has a label."""
    before, _, line = text.rstrip().rpartition("\n")
    *others, last = _SENTENCE.split(line)
    if others and _LABEL.fullmatch(last):
        return f"{before}\n{line[: len(line) - len(last)]}".strip(), last
    return before, line


def _before_answer(form: Form, text: str) -> str:
    """Return the prose of a response without tags and think block."""
    if block := None if form.boxed else last_block(text):
        return block.around
    return _last_line(text)[0] if form.label else text


def _answer(form: Form, final: str) -> str:
    if form.boxed:
        return last_box(final) or ""
    if block := last_block(final):
        return block.code
    if labelled := _LABEL.fullmatch(_last_line(final)[1]):
        return labelled[2].strip()
    return final if form.tagged or form.thinks else ""


def _final(text: str) -> str:
    """Return the text that holds the answer: the body of the answer tags, else what follows the think block."""
    tagged = sections.answer(text)
    return sections.response(text) if tagged is None else tagged
