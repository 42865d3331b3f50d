"""Decide whether an answer equals a gold one: by its writing, as a number, then by algebra; the cheapest first."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rewardlab.errors import one_line

from rewardlab_math import algebra, guard, intervals, repeating, wording
from rewardlab_math.deadline import TimeLimitExceeded, call_within
from rewardlab_math.gold import LONGEST, Gold
from rewardlab_math.notation import plain
from rewardlab_math.numerals import writes_decimal_point
from rewardlab_math.quantities import Quantity, only_quantity, quantities

_EMBEDDED = re.compile(r"\$([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_LOOSE_SPACE = re.compile(r"(?<![A-Za-z0-9])\s+|\s+(?![A-Za-z0-9])")


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerVerdict:
    """The verdict on an answer: whether it is right; for one that could not be compared, why."""

    right: bool
    reason: str | None = None
    refused: str | None = None
    timed_out: bool = False


def judge_answer(golds: Sequence[Gold], answer: str, language: str | None, seconds: float) -> AnswerVerdict:
    """Compare an answer with gold answers, any of which is right. Does not raise, whatever the answer.

    seconds: processor time that algebra may take for this answer.
    """
    if len(answer) > LONGEST:
        return AnswerVerdict(right=False, refused=f"longer than {LONGEST} characters")
    text = plain(answer)
    core = _core(text, answer)
    if not core:
        return AnswerVerdict(right=False, reason="blank")
    if any(_same_writing(gold, writing) for gold in golds for writing in (text, core)):
        return AnswerVerdict(right=True)
    golds = [gold for gold in golds if gold.kind == "formula"]
    point_only = language is not None and writes_decimal_point(language)
    core = intervals.standard(repeating.with_fractions(core), point_only=point_only)
    numbers = quantities(core, point_only=point_only) or only_quantity(core, point_only=point_only)
    if any(number.equals(right) for number in numbers for gold in golds for right in gold.quantities):
        return AnswerVerdict(right=True)
    golds = [gold for gold in golds if not (numbers and gold.only_number)]
    if not golds:
        return AnswerVerdict(right=False)
    if not numbers and wording.kind(core) == "words":
        return AnswerVerdict(right=False, reason="no formula")
    return _by_algebra(golds, core, numbers, decimal_comma=not point_only, seconds=seconds)


def _by_algebra(
    golds: Sequence[Gold], text: str, numbers: Iterable[Quantity], *, decimal_comma: bool, seconds: float
) -> AnswerVerdict:
    gold_formulas = [formula for gold in golds for formula in gold.formulas]
    if not gold_formulas:
        return AnswerVerdict(right=False, refused=f"the gold answer is not computed: {golds[0].refused}")

    def equal() -> bool:
        try:
            found = algebra.formulas(text, decimal_comma=decimal_comma)
        except algebra.UnparsableFormula:
            if not numbers:
                raise
            found = []
        return algebra.any_equal(
            gold_formulas, [*found, *algebra.numbers(number for number in numbers if not number.name)]
        )

    try:
        guard.check(text, gold=" ".join(gold.text for gold in golds))
        return AnswerVerdict(right=call_within(seconds, equal))
    except guard.RefusedFormula as error:
        return AnswerVerdict(right=False, refused=str(error))
    except TimeLimitExceeded:
        return AnswerVerdict(right=False, timed_out=True)
    except algebra.UnparsableFormula:
        return AnswerVerdict(right=False, reason="unparsable")
    except Exception as error:  # a policy's text can make any part of the algebra system fail
        return AnswerVerdict(right=False, reason=f"not comparable: {one_line(error)}")


def _same_writing(gold: Gold, text: str) -> bool:
    if gold.kind == "choice":
        return wording.choice(gold.text) == wording.choice(text)
    if gold.kind == "words":
        return wording.normalised(gold.text) == wording.normalised(text)
    return _compact(gold.text) == _compact(text)


def _compact(text: str) -> str:
    return _LOOSE_SPACE.sub("", " ".join(wording.without_text_groups(text).split()))


def _core(text: str, answer: str) -> str:
    """Return the formula in an answer: the last one between delimiters in a sentence, else the answer itself."""
    if wording.kind(text) != "words":
        return text
    formulas = _EMBEDDED.findall(answer)
    if formulas:
        return plain(max(formulas[-1]))
    listed = wording.with_commas(text)
    return text if wording.kind(listed) == "words" else listed
