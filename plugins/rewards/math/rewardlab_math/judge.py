"""Decide whether an answer equals a gold one: by its writing, as a number, then by algebra; the cheapest first."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rewardlab.errors import one_line
from rewardlab_answers import only_joins

from rewardlab_math import (
    algebra,
    congruences,
    guard,
    moments,
    named_units,
    sequences,
    systems,
    units,
    vectors,
    wording,
)
from rewardlab_math.bounds import bounds
from rewardlab_math.deadline import TimeLimitExceeded, call_within
from rewardlab_math.gold import LABELLED, Gold
from rewardlab_math.gold_text import LONGEST
from rewardlab_math.in_order import DOTS, MAX_PARTS, equal_in_order
from rewardlab_math.inequalities import compared_name
from rewardlab_math.notation import plain
from rewardlab_math.numerals import writes_decimal_point
from rewardlab_math.quantities import Quantity, only_quantity, quantities
from rewardlab_math.reading import readable
from rewardlab_math.rewritings import same_form
from rewardlab_math.standard import joined, standard
from rewardlab_math.writing import compact

_BASED = re.compile(r"[0-9A-F]+_(?:\d|\{\d+\})")
_UNFINISHED = re.compile(
    r"[^\s^_{(,;:&][\s$]*(?:[-+/=<>]|\\(?:cdot|times|div|pm|mp|le|ge|leq|geq|approx)(?![A-Za-z]))[\s$]*\Z"
)
_CUT = re.compile(r"(?<![\d.,])\d+\s?(?:\.{3,}|…|\\[lc]?dots(?![A-Za-z]))[\s$]*\Z")
"""the ends of answers that break off: `4-`, which no other writing says than a gold one that ends so, and `42...`"""
_MAX_PARTS = 4
_EMBEDDED = re.compile(
    r"\\\\|\$(?P<inline>[^$]+)\$|\\\((?P<round>(?:(?!\\\)).)+)\\\)|\\\[(?P<square>(?:(?!\\\]).)+)\\\]", re.DOTALL
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerVerdict:
    """The verdict on an answer: whether it is right; for one that could not be compared, why.

    Args:
        failed: the error of the algebra system, so that only the writing was compared.
    """

    right: bool
    reason: str | None = None
    refused: str | None = None
    timed_out: bool = False
    failed: str | None = None


def judge_answer(golds: Sequence[Gold], parts: Sequence[str], language: str | None, seconds: float) -> AnswerVerdict:
    """Compare an answer with gold answers, any of which is right. Never raises.

    Args:
        parts: the answer, in several places if it has them: right if they are the gold answer together, or each of
            them alone.
        seconds: processor time that algebra may take for this answer.
    """
    if len(parts) == 1:
        return _judge(golds, parts[0], language, seconds)
    together = _judge(golds, joined(parts), language, seconds / 2)
    if together.right or not 1 < len(parts) <= _MAX_PARTS:
        return together
    alone = (_judge(golds, part, language, seconds / 2 / len(parts)) for part in parts)
    return AnswerVerdict(right=True) if all(verdict.right for verdict in alone) else together


def _judge(golds: Sequence[Gold], answer: str, language: str | None, seconds: float) -> AnswerVerdict:
    """Compare one answer as it is written, then part by part, as a congruence, and in the gold answer's form."""
    verdict = _judge_as_written(golds, answer, language, seconds)
    if verdict.right or len(answer) > LONGEST or verdict.timed_out:
        return verdict
    text = readable(plain(answer), language)
    timed_out = False

    def equal(gold: Gold, part: str, other: str, limit: float = seconds / MAX_PARTS) -> bool:
        nonlocal timed_out
        compared = _judge_as_written(gold.part(part, seconds), other, language, limit)
        timed_out = timed_out or compared.timed_out
        return compared.right

    def is_equal(gold: Gold) -> bool:
        if equal_in_order(gold.text, text, partial(equal, gold)) or congruences.equal(gold.text, text):
            return True
        pair = same_form(gold.text, text)
        return pair is not None and equal(gold, *pair, limit=seconds / 2)

    return AnswerVerdict(right=True) if any(map(is_equal, golds)) else replace(verdict, timed_out=timed_out)


def _judge_as_written(golds: Sequence[Gold], answer: str, language: str | None, seconds: float) -> AnswerVerdict:
    if len(answer) > LONGEST:
        return AnswerVerdict(right=False, refused=f"longer than {LONGEST} characters")
    text = readable(plain(answer), language)
    labelled = LABELLED.fullmatch(text) if any(gold.is_label for gold in golds) else None
    if labelled:
        if not any(gold.is_label and gold.text == labelled["label"] for gold in golds):
            return AnswerVerdict(right=False)
        golds = [gold for gold in golds if not gold.is_label]
        answer, text = labelled["answer"], readable(plain(labelled["answer"]), language)
    core, ending = _core(text, answer), answer.rstrip()[-40:]
    if not core:
        return AnswerVerdict(right=False, reason="blank")
    if _CUT.search(ending):
        return AnswerVerdict(right=False, reason="unparsable")
    bounded = bounds(text)
    golds = [gold for gold in golds if bounded <= bounds(gold.text)]
    if any(_same_writing(gold, writing) for gold in golds for writing in (text, core)):
        return AnswerVerdict(right=True)
    if _UNFINISHED.search(ending):
        return AnswerVerdict(right=False, reason="unparsable")
    times = moments.read(text) or moments.read(core)
    if times and any(moments.equal(gold.moments, times) for gold in golds):
        return AnswerVerdict(right=True)
    golds = [gold for gold in golds if moments.may_be_numbers(gold.moments, times)]
    rates = [named_units.rate(gold.text, core) for gold in golds]
    golds = [replace(gold, rate=rate) for gold, rate in zip(golds, rates, strict=True) if rate is not None]
    golds = [gold for gold in golds if vectors.same_products(gold.text, core)]
    orders = [sequences.same_order(gold.text, core) for gold in golds]
    if any(orders):
        return AnswerVerdict(right=True)
    golds = [gold for gold, order in zip(golds, orders, strict=True) if order is None]
    golds = [gold for gold in golds if gold.kind == "formula" and not _BASED.fullmatch(compact(gold.text))]
    golds = [gold for gold in golds if gold.is_computed and DOTS not in core and _names_fit(gold.text, core)]
    if not golds:
        return AnswerVerdict(right=False)
    point_only = language is not None and writes_decimal_point(language)
    core = standard(core, point_only=point_only)
    numbers = quantities(core, point_only=point_only) or only_quantity(core, point_only=point_only)
    if any(_same_amount(gold, number, core) for gold in golds for number in numbers):
        return AnswerVerdict(right=True)
    golds = [gold for gold in golds if gold.rate == 1 and not (numbers and gold.only_number)]
    golds = [gold for gold in golds if not _differ_in_scale(gold.text, text)]
    if not golds:
        return AnswerVerdict(right=False)
    if not numbers and wording.kind(core) == "words":
        return AnswerVerdict(right=False, reason="no formula")
    core, unknowns = systems.solved(core) or (sequences.as_tuple(core), ())
    golds = [gold for gold in golds if not (unknowns and gold.unknowns) or unknowns == gold.unknowns]
    if not golds:
        return AnswerVerdict(right=False)
    return _by_algebra(golds, core, numbers, decimal_comma=not point_only, seconds=seconds)


def _by_algebra(
    golds: Sequence[Gold], text: str, numbers: Iterable[Quantity], *, decimal_comma: bool, seconds: float
) -> AnswerVerdict:
    gold_formulas = [formula for gold in golds for formula in gold.formulas]
    if not gold_formulas:
        return AnswerVerdict(right=False, refused=f"the gold answer is not computed: {golds[0].refused}")

    def equal() -> bool:
        try:
            parsed = algebra.formulas(text, decimal_comma=decimal_comma)
        except algebra.UnparsableFormula:
            if not numbers:
                raise
            parsed = []
        return algebra.any_equal(
            gold_formulas, [*parsed, *algebra.numbers(number for number in numbers if not number.name)]
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
        return AnswerVerdict(right=False, failed=one_line(error))


def _same_amount(gold: Gold, number: Quantity, core: str) -> bool:
    """Return whether a number is the gold amount; of two that name their units, `$3 million` is not `3 dollars`."""
    equal = [right for right in gold.quantities if number.times(gold.rate).equals(right)]
    if any((right.scale is None) == (number.scale is None) for right in equal):
        return True
    return bool(equal) and not (named_units.names_unit(gold.text) and named_units.names_unit(core))


def _differ_in_scale(gold: str, answer: str) -> bool:
    """Return whether both have words for powers of ten, and other ones: the algebra system sees no words."""
    scales, other_scales = units.scales_in(gold), units.scales_in(answer)
    return bool(scales and other_scales) and scales.isdisjoint(other_scales)


def _names_fit(gold: str, answer: str) -> bool:
    """Return whether inequalities compare the same name, unless one of both has none."""
    name, other = compared_name(gold), compared_name(answer)
    return not name or not other or name.lower() == other.lower()


def _same_writing(gold: Gold, text: str) -> bool:
    if gold.kind == "choice":
        return wording.choice(gold.text) == wording.choice(text)
    if gold.kind == "words":
        return wording.normalised(wording.with_commas(gold.text)) == wording.normalised(wording.with_commas(text))
    writing, other = compact(gold.text), compact(text)
    if _BASED.fullmatch(writing):  # 4210_5, of which the question may have said the base
        other = other if "_" in other else f"{other}_{writing.partition('_')[2]}"
    return writing == other


def _core(text: str, answer: str) -> str:
    """Return the formula in an answer: in a sentence the last ones between delimiters, else the answer itself."""
    if wording.kind(text) != "words":
        return text
    formulas = _last_formulas(answer)
    if formulas:
        return plain(joined(formulas))
    listed = wording.with_commas(text)
    return text if wording.kind(listed) == "words" else listed


def _last_formulas(sentence: str) -> list[str]:
    """Return the last formula between delimiters, and those before it that "and", "or" or a comma joins to it."""
    formulas: list[str] = []
    end = 0
    for match in _EMBEDDED.finditer(sentence):
        if match.lastgroup is not None:
            if not only_joins(sentence[end : match.start()]):
                formulas = []
            formulas.append(match[match.lastgroup])
            end = match.end()
    return list(dict.fromkeys(formulas))
