r"""Find the answer in a completion.

The last box (or tag) counts, which is the response's if it has one, and else the reasoning's: accuracy asks whether
the answer was found, format rewards ask where it stands. Answers that only "and", "or" or a comma parts are one:
whoever writes `\boxed{1} or \boxed{-2}` has not said which. A bare last number is read only after the last `</think>`:
reasoning is full of numbers.
"""

from typing import Literal

from rewardlab_answers import last_boxes, only_joins

from rewardlab_math.last_formula import last_formulas

Extract = Literal["boxed", "tag", "last_number"]

_REASONING_END = "</think>"
_OPEN_TAG, _CLOSE_TAG = "<answer>", "</answer>"


def extract(text: str, kind: Extract) -> list[str]:
    r"""Return the parts of the answer as they were written, without boxes or tags; [] if there is none.

    An answer has several parts if it stands in several places that only "and", "or" or a comma parts. Takes time
    linear in the text.

    boxed: content of the last closed `\boxed{...}`. tag: body of the last `<answer>...</answer>`, or the box
    inside it. last_number: the last formula of the response that has a number in it; of an equation its right side.
    """
    if kind == "boxed":
        return last_boxes(text)
    if kind == "tag":
        return _last_tags(text)
    return last_formulas(text.rpartition(_REASONING_END)[2])


def _last_tags(text: str) -> list[str]:
    """Return what stands in the last tag, and in those before it that are joined to it."""
    parts: list[str] = []
    end = len(text)
    while True:
        close = text.rfind(_CLOSE_TAG, 0, end)
        opening = text.rfind(_OPEN_TAG, 0, max(close, 0))
        between = text[close + len(_CLOSE_TAG) : end]
        if opening < 0 or (parts and not (between.strip() and only_joins(between))):
            break
        body = text[opening + len(_OPEN_TAG) : text.index(_CLOSE_TAG, opening)]
        parts = [*(last_boxes(body) or [body.strip()]), *parts]
        end = opening
    return list(dict.fromkeys(parts))
