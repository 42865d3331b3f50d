"""Say before a job which right answers of a data set cannot be read, or do not even equal themselves."""

import re
from typing import Any

from rewardlab import Completion, Sample

from rewardlab_math import wording
from rewardlab_math.answer_leads import inside_tags, without_lead
from rewardlab_math.notation import plain
from rewardlab_math.options import AccuracyOptions, is_left_out
from rewardlab_math.reading import readable

BLANK = "right answers that hold no answer, so that the rows fail"
BY_WRITING = "right answers that cannot be read as mathematics, so that only the same writing is right"
NOT_ITSELF = "right answers that do not score 1.0 against themselves"
NO_VALUE = "right answers that stand for no value, as programs write it (None, nan)"
PROSE = "right answers in prose, so that only the same words are right"
WORDED = "right answers with words around them, which are read without these"
MIN_PROSE_WORDS = 4
NO_VALUES = ("none", "null", "nan", "nat", "<na>", "n/a")

_WORD = re.compile(r"[^\W\d_]{2,}")
_PLAIN_NUMBER = re.compile(r"(?:.*####)?\s*-?\d{1,12}(?:\.\d{1,12})?\s*", re.DOTALL)


def doubt(options: AccuracyOptions, sample: Sample) -> tuple[str, str] | None:
    """Return what is wrong with a row's right answer, and the answer; None if it can be read and equals itself.

    Other checks report a missing field, and right answers that the published code reads differently.
    """
    value = sample.fields.get(options.field)
    if value is None or options.profile == "sp3f_official" or is_left_out(options, sample) or _is_plain(value):
        return None
    from rewardlab_math.accuracy import Accuracy  # algebra takes a second to load

    reward = Accuracy(options.model_copy(update={"extract": "boxed"}))
    for gold in value if isinstance(value, list) else [value]:
        final = str(gold).rpartition("####")[2].strip()
        if final.casefold() in NO_VALUES:
            return NO_VALUE, repr(gold)
        answer = inside_tags(final).strip()
        row = Sample(id=sample.id, prompt=sample.prompt, fields={**sample.fields, options.field: gold})
        score = reward.score([(row, Completion(text=answer if r"\boxed" in answer else rf"\boxed{{{answer}}}"))])[0]
        if score.error is not None:
            return BLANK, repr(gold)
        if score.info.get("gold_by_writing"):
            return BY_WRITING, repr(gold)
        if score.value != 1.0:
            return NOT_ITSELF, repr(gold)
        text = plain(answer)
        if wording.kind(readable(text)) == "words" and len(_WORD.findall(text)) >= MIN_PROSE_WORDS:
            return PROSE, repr(gold)
        if answer != final or without_lead(text) != text:
            return WORDED, repr(gold)
    return None


def _is_plain(value: Any) -> bool:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return is_integer or (isinstance(value, str) and len(value) < 5000 and _PLAIN_NUMBER.fullmatch(value) is not None)
