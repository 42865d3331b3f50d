"""math/accuracy with `profile: sp3f_official`: the scores of SP3F's published training code.

Source: sp3f ab306b4, reward_fn.py (train branch) with yaeval-harness 013486c and math-verify 0.9.0: the whole text is
searched for a box, and the box and the gold answer are parsed as bare strings, without LaTeX delimiters, so that
formulas often differ from themselves. Its time limits of 5 s for each step are one limit of processor time here.
"""

import re
from collections.abc import Sequence
from typing import Any

from math_verify import parse, verify
from rewardlab import Completion, Sample, Score
from rewardlab_answers import official_box

from rewardlab_math import algebra, guard
from rewardlab_math.deadline import TimeLimitExceeded, call_within
from rewardlab_math.options import AccuracyOptions, is_left_out

SECONDS = 5.0
"""Processor time for one answer."""

_NOTHING = "None"
_STEPS = 20_000_000  # about 3 s
_COMPUTED_WHILE_READ = re.compile(r"\\(?:[dt]?binom|choose|[Gg]amma|operatorname|l?floor|l?ceil|gcd|lcm|det)")


class OfficialAccuracy:
    """The reward 1.0 or 0.0 as published; a row without a gold answer is a failure. info as in the default profile."""

    def __init__(self, options: AccuracyOptions, seconds: float = SECONDS) -> None:
        self._options = options
        self._seconds = seconds

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item."""
        return [
            Score() if is_left_out(self._options, sample) else self._score(sample, completion.text)
            for sample, completion in items
        ]

    def _score(self, sample: Sample, text: str) -> Score:
        answer = official_box(text)
        info: dict[str, Any] = {"extracted": None if answer == _NOTHING else answer}
        gold = sample.fields.get(self._options.field)
        if gold is None:
            return Score(info=info, error=f"field {self._options.field!r}: missing")
        if answer == _NOTHING:
            return Score(value=0.0, info=info)
        try:
            right = call_within(self._seconds, lambda: official_equal(answer, str(gold)))
        except guard.RefusedFormula as error:
            return Score(value=0.0, info={**info, "refused": str(error)})
        except TimeLimitExceeded:
            return Score(value=0.0, info={**info, "timed_out": True})
        return Score(value=float(right), info=info)


def official_equal(answer: str, gold: str) -> bool:
    """Return the result of the published comparison without its time limits; errors count as "different", as there.

    Raises guard.RefusedFormula instead of computing numbers for which the time limits would not have sufficed.
    """
    with algebra.parsing():
        try:
            parsed_gold, parsed_answer = _parse(gold), _parse(answer)
        except guard.RefusedFormula:
            raise
        except Exception:
            return False
    try:
        return bool(verify(parsed_gold, parsed_answer, timeout_seconds=None))
    except Exception:
        return False


def _parse(text: str) -> list:
    _check_brackets(text)
    if _COMPUTED_WHILE_READ.search(text):
        guard.check_size(text)
    formulas = parse(text, parsing_timeout=None)
    for formula in formulas:
        if not isinstance(formula, str):  # math-verify falls back to a str
            guard.check_size(_print(formula))
    return formulas


def _check_brackets(text: str) -> None:
    r"""Raise RefusedFormula if the search for `\[...\boxed{...}...\]` would take too long.

    math-verify searches by backtracking, with the cube of the number of boxes after each unclosed `\[`.
    """
    unclosed = text.count(r"\[") - text.count(r"\]")
    if unclosed * text.count(r"\boxed") ** 3 > _STEPS:
        raise guard.RefusedFormula(r"many boxes after an unclosed \[")


def _print(formula: object) -> str:
    try:
        return str(formula)
    except ValueError as error:  # Python prints no integer of more than 4,300 digits
        raise guard.RefusedFormula("a number too large to print") from error
