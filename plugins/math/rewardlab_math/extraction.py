r"""Find the answer in a completion.

The last box (or tag) counts, which is the response's if it has one, and else the reasoning's: accuracy asks whether
the answer was found, format rewards ask where it stands. A bare last number is read only after the last `</think>`:
reasoning is full of numbers.
"""

import re
from collections import deque
from typing import Literal

from rewardlab.text import last_box

from rewardlab_math.numerals import UNSPACED_NUMERAL

Extract = Literal["boxed", "tag", "last_number"]

_REASONING_END = "</think>"
_OPEN_TAG, _CLOSE_TAG = "<answer>", "</answer>"
_NUMBER = re.compile(
    r"(?<![A-Za-z])(?:(?<!\d)[-−])?"
    rf"(?:\d{{1,3}}(?:[\u00a0\u2009\u202f]\d{{3}})+(?!\d)(?:[.,]\d+)?|{UNSPACED_NUMERAL})"
    r"(?:/\d+)?(?:\s?[%٪％])?"
)


def extract(text: str, kind: Extract) -> str | None:
    r"""Return the answer as it was written, without the box or tag; None where there is none. Linear in the text.

    boxed: content of the last closed `\boxed{...}`. tag: body of the last `<answer>...</answer>`, or the box
    inside it.
    last_number: the last number of the response, with its sign, separators, `/denominator` and percent sign.
    """
    if kind == "boxed":
        return last_box(text)
    if kind == "tag":
        return _last_tag(text)
    return _last_number(text.rpartition(_REASONING_END)[2])


def _last_tag(text: str) -> str | None:
    start = text.rfind(_OPEN_TAG, 0, max(text.rfind(_CLOSE_TAG), 0))
    if start < 0:
        return None
    start += len(_OPEN_TAG)
    body = text[start : text.index(_CLOSE_TAG, start)]
    box = last_box(body)
    return body.strip() if box is None else box


def _last_number(text: str) -> str | None:
    numbers = deque(_NUMBER.finditer(text), maxlen=1)
    return numbers[0].group().rstrip(".,'") if numbers else None
