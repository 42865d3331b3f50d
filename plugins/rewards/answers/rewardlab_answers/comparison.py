"""The two texts that a reward compares: a part of the response, and the same part of the row's reference.

A missing or blank reference is reported as a problem: nothing is ever compared with an empty text.
"""

from dataclasses import dataclass
from typing import Literal

from rewardlab import Sample

from rewardlab_answers import sections
from rewardlab_answers.invisible import is_blank

Part = Literal["reasoning", "answer", "response"]
"""reasoning: the think block. answer: the last `<answer>`. response: everything after the last `</think>`; nothing if
thoughts do not end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedTexts:
    """A prediction beside its reference; or the problem that leaves nothing to compare.

    Args:
        prediction: "" if the response has no such part, or a blank one.
    """

    prediction: str = ""
    reference: str = ""
    problem: str | None = None


def compared_texts(text: str, sample: Sample, part: Part, against: str) -> ComparedTexts:
    """Return the part of `text` beside the same part of the field `against`.

    A reference without tags is compared as a whole, and a number in the field is read as text. Anything else that is
    not text, and a blank reference, is a `problem`.
    """
    reference = sample.fields.get(against)
    if isinstance(reference, int | float) and not isinstance(reference, bool):
        reference = str(reference)
    if not isinstance(reference, str):
        return ComparedTexts(problem=f"field {against!r} must hold text, not {type(reference).__name__}")
    tagged = any(tag in reference for tag in sections.TAGS)
    wanted = _part(reference, part) if tagged else _seen(reference)
    if not wanted:
        blank = f"no {part}, or a blank one" if tagged else "nothing but blanks"
        return ComparedTexts(problem=f"the reference in field {against!r} has {blank}")
    return ComparedTexts(prediction=_part(text, part), reference=wanted)


def _part(text: str, part: Part) -> str:
    read = {"reasoning": sections.reasoning, "answer": sections.answer, "response": sections.final}
    return _seen(read[part](text) or "")


def _seen(text: str) -> str:
    return "" if is_blank(text) else text.strip()
