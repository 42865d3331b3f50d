"""The texts of a row's right answers; a value that holds none makes a bad row. This loads no algebra."""

import math
from collections.abc import Sequence
from typing import Any

from rewardlab import Sample
from rewardlab_answers import last_boxes

from rewardlab_math.answer_leads import inside_tags
from rewardlab_math.notation import plain
from rewardlab_math.options import AccuracyOptions, is_left_out
from rewardlab_math.reading import readable
from rewardlab_math.standard import joined

LONGEST = 2000
"""characters of the longest gold answer"""
_FINAL = "####"


class BrokenGold(ValueError):
    """A value that holds no gold answer; the message says what is wrong."""


def texts_of(value: Any) -> Sequence[str]:
    """Return the right answers of a row's value, a text, number or boolean or a list of these, as texts.

    Raises BrokenGold if one of them is none, or if there is none.
    """
    values = value if isinstance(value, list | tuple) else [value]
    if not values:
        raise BrokenGold("an empty list")
    return [_text_of(answer) for answer in values]


def _text_of(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        raise BrokenGold(f"{value} is not a number")
    if isinstance(value, int) and value.bit_length() > 3 * LONGEST:  # beyond what Python prints
        raise BrokenGold("an integer too long for an answer")
    if not isinstance(value, str | bool | int | float):
        kind = "null" if value is None else type(value).__name__
        raise BrokenGold(f"{kind} is neither text nor a number nor a list of these")
    written = str(value)
    if len(written) > LONGEST:
        raise BrokenGold(f"{len(written)} characters are too long for an answer")
    return written


def answer_in(written: str) -> str:
    """Return the plain answer (see `notation.plain`) in the text of a right answer. Raises BrokenGold without one."""
    final = inside_tags(written.rpartition(_FINAL)[2])
    boxes = last_boxes(final)
    text = readable(plain(joined(boxes) if boxes else final))
    if not any(character.isalnum() for character in text):
        raise BrokenGold(f"{written!r} holds no answer")
    return text


def refusal(options: AccuracyOptions, sample: Sample) -> str | None:
    """Return why a row's field holds no right answer; None if it does, or if another component scores the row."""
    if options.profile == "sp3f_official" or is_left_out(options, sample):
        return None
    try:
        for text in texts_of(sample.fields.get(options.field)):
            if not text.isalnum():
                answer_in(text)
    except BrokenGold as error:
        return f"field {options.field!r}: {error}"
    return None
