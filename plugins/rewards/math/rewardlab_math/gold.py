r"""Read gold answers as data sets write them: `42`, `"1,234"`, `"#### 42"`, `"\boxed{42}"`, `["1/2", "0.5"]`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy
from rewardlab.errors import one_line

from rewardlab_math import algebra, congruences, guard, moments, qualifiers, sequences, systems, wording
from rewardlab_math.deadline import TimeLimitExceeded, call_within
from rewardlab_math.gold_text import BrokenGold, answer_in, texts_of
from rewardlab_math.in_order import DOTS
from rewardlab_math.moments import Moments
from rewardlab_math.notation import plain
from rewardlab_math.numerals import writes_decimal_point
from rewardlab_math.quantities import Quantity, quantities
from rewardlab_math.standard import standard

LABELLED = re.compile(r"\(?(?P<label>[A-J])(?:\)|[.:])\)?\s+(?P<answer>\S.*)", re.DOTALL)
"""an answer behind the label of a choice, `C. x = 42`"""

_TERM = re.compile(r".*[\d}][A-Za-z]", re.DOTALL)  # "3t" in a gold answer is a term, not three tonnes
_LIST_OR_DECIMAL = re.compile(r"\D*\d+,\d+\D*")


@dataclass(frozen=True, kw_only=True)
class Gold:
    """A right answer.

    Args:
        quantities: its readings as one number.
        formulas: what algebra compares with; none for words and choices, and none for a formula that takes too long
            to read, or cannot be read, if `refused` says why: only the same writing equals that.
        is_label: whether it is the label before another right answer, so that nothing else may stand behind it.
        unknowns: of the solution of a system, in alphabetical order.
        point_only: whether only a point marks decimals in it.
        only_number: whether it can be nothing but a number, so that algebra has nothing to add if the answer is a
            number, too.
        moments: the times of day or the dates that it is.
        is_computed: whether algebra may compare it; a list with dots and a congruence are compared otherwise.
        rate: how many of its units one of those of the answer is that is compared with it.
    """

    text: str
    kind: wording.Kind
    quantities: frozenset[Quantity] = frozenset()
    only_number: bool = False
    formulas: Sequence[sympy.Basic] = ()
    is_label: bool = False
    unknowns: tuple[str, ...] = ()
    refused: str | None = None
    point_only: bool = True
    moments: Moments = ()
    is_computed: bool = True
    rate: Fraction = Fraction(1)

    def part(self, text: str, seconds: float) -> "Sequence[Gold]":
        """Return the right answers that a part of this one, or another writing of it, gives; none if it is blank."""
        try:
            return _golds(text, self.point_only, seconds)
        except BrokenGold:
            return ()


def golds(value: Any, language: str | None, seconds: float) -> list[Gold]:
    """Return the right answers that a row's value gives, at least one. Raises BrokenGold if there is none.

    Args:
        value: a string, a number, a boolean, or a list of these, any of which is right.
        language: of its notation, a code or an English name, or None; decides what "1.234" is (see `numerals`):
            without it, as in English.
        seconds: processor time that reading one may take.
    """
    point_only = language is None or writes_decimal_point(language)
    return [gold for text in texts_of(value) for gold in _golds(text, point_only, seconds)]


@lru_cache(maxsize=4096)
def _golds(written: str, point_only: bool, seconds: float) -> tuple[Gold, ...]:
    """Return the right answer, and behind the label of a choice, `C. x = 42`, also the label."""
    text = answer_in(written)
    labelled = LABELLED.fullmatch(text)
    if labelled and wording.kind(plain(labelled["answer"])) == "formula":
        label = Gold(text=labelled["label"], kind="choice", is_label=True)
        return label, _gold(plain(labelled["answer"]), point_only, seconds)
    return (_gold(text, point_only, seconds),)


def _gold(text: str, point_only: bool, seconds: float) -> Gold:
    times = moments.read(text)
    if not times:
        return _gold_without_moments(text, point_only, seconds)
    words = Gold(text=text, kind="words", point_only=point_only, moments=times)
    if not moments.may_be_numbers(times, ()):
        return words
    number = _gold_without_moments(text, point_only, seconds)
    return words if number.refused else replace(number, moments=times)


def _gold_without_moments(text: str, point_only: bool, seconds: float) -> Gold:
    core = standard(text, point_only=point_only)
    numbers = frozenset() if _TERM.fullmatch(core) else quantities(core, point_only=point_only)
    listed = _LIST_OR_DECIMAL.fullmatch(core) and all(number.value.denominator > 1 for number in numbers)
    if listed and point_only:  # "1,2" is two numbers
        numbers = frozenset()
    kind = "formula" if numbers else wording.kind(core)
    if kind != "formula":
        return Gold(text=text, kind=kind, point_only=point_only)
    if DOTS in core or congruences.read(text):
        return Gold(text=text, kind=kind, point_only=point_only, is_computed=False)
    if numbers and not listed and not any(number.name for number in numbers):
        formulas = tuple(algebra.numbers(numbers))
        return Gold(
            text=text, kind=kind, quantities=numbers, formulas=formulas, only_number=True, point_only=point_only
        )
    core, unknowns = systems.solved(core) or (sequences.as_tuple(core), ())
    gold = Gold(text=text, kind=kind, quantities=numbers, unknowns=unknowns, point_only=point_only)
    try:
        guard.check(core, gold=core)
        parsed = call_within(seconds, lambda: _comparable(algebra.formulas(core, decimal_comma=not point_only)))
    except (guard.RefusedFormula, TimeLimitExceeded) as error:
        return replace(gold, refused=str(error))
    except algebra.UnparsableFormula:
        if numbers:  # P(A \cup B) = 0.7
            return replace(gold, formulas=tuple(algebra.numbers(numbers)), only_number=True)
        bare = qualifiers.read(text)
        parts = gold.part(bare.formula, seconds) if bare else ()
        read = tuple(formula for part in parts for formula in part.formulas)
        return replace(gold, formulas=read, refused=None if read else "it cannot be read as mathematics")
    except Exception as error:  # of the algebra system, which some formulas make fail
        return replace(gold, refused=f"it cannot be compared: {one_line(error)}")
    return replace(gold, formulas=tuple(parsed))


def _comparable(formulas: Sequence[sympy.Basic]) -> Sequence[sympy.Basic]:
    """Return formulas that can be compared; exceptions of a comparison with themselves pass through."""
    algebra.any_equal(formulas, formulas)
    return formulas
