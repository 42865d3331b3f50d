"""The two texts that a reward compares: a part of the response, and the same part of the row's reference.

None of them is ever compared with nothing: what is not there is said.
"""

from dataclasses import dataclass
from typing import Literal

from rewardlab import parts
from rewardlab.types import Sample

Part = Literal["reasoning", "answer", "response"]
"""reasoning: the body of the think block. answer: of the last `<answer>`. response: what follows the last `</think>`"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    """prediction: "" where the response has no such part, or a blank one. problem: why there is nothing to compare."""

    prediction: str = ""
    reference: str = ""
    problem: str | None = None


def sides(text: str, sample: Sample, part: Part, against: str) -> Sides:
    """The part of `text` and the same part of the field `against`; of a reference without tags, all of it."""
    reference = sample.fields.get(against)
    if isinstance(reference, int | float) and not isinstance(reference, bool):
        reference = str(reference)
    if not isinstance(reference, str):
        return Sides(problem=f"field {against!r} holds no text but {type(reference).__name__}")
    tagged = any(tag in reference for tag in parts.TAGS)
    wanted = (_part(reference, part) if tagged else reference).strip()
    if not wanted:
        blank = f"no {part}, or a blank one" if tagged else "nothing but blanks"
        return Sides(problem=f"the reference in field {against!r} has {blank}")
    return Sides(prediction=_part(text, part).strip(), reference=wanted)


def _part(text: str, part: Part) -> str:
    read = {"reasoning": parts.reasoning, "answer": parts.answer, "response": parts.response}
    return read[part](text) or ""
