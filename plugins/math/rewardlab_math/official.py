"""math/accuracy with `profile: sp3f_official`: what SP3F's published training code scores.

Source: sp3f ab306b4, reward_fn.py (train branch) with yaeval-harness 013486c and math-verify 0.9.0: the
whole text is searched for a box, and the box and the gold are parsed as bare strings, without LaTeX
delimiters, so that formulas often differ from themselves. Its time limits of 5 s for each step count here as
one limit, in processor time.
"""

import re
from collections.abc import Sequence
from typing import Any

from math_verify import parse, verify
from rewardlab import Completion, Sample, Score
from rewardlab.boxes import official_box

from rewardlab_math import Options, algebra, guard
from rewardlab_math.deadline import TimeLimitExceeded, call_within

SECONDS = 5.0
"""Processor time for one answer."""

_NOTHING = "None"
_STEPS = 20_000_000  # about 3 s
_COMPUTED_WHILE_READ = re.compile(r"\\(?:[dt]?binom|choose|[Gg]amma|operatorname|l?floor|l?ceil|gcd|lcm|det)")


class OfficialAccuracy:
    """1.0 or 0.0 as published; a row without gold is a failure. info as for the default profile."""

    def __init__(self, options: Options, seconds: float = SECONDS):
        self._options = options
        self._seconds = seconds

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        return [self._score(sample, completion.text) for sample, completion in items]

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
        except guard.Refused as error:
            return Score(value=0.0, info={**info, "refused": str(error)})
        except TimeLimitExceeded:
            return Score(value=0.0, info={**info, "timed_out": True})
        return Score(value=float(right), info=info)


def official_equal(answer: str, gold: str) -> bool:
    """The published comparison without its time limits. Its errors count as "different" there, and so here.

    Raises guard.Refused before numbers are computed for which the time limits would not have been enough.
    """
    with algebra.parsing():
        try:
            parsed_gold, parsed_answer = _parsed(gold), _parsed(answer)
        except guard.Refused:
            raise
        except Exception:
            return False
    try:
        return bool(verify(parsed_gold, parsed_answer, timeout_seconds=None))
    except Exception:
        return False


def _parsed(text: str) -> list:
    _check_brackets(text)
    if _COMPUTED_WHILE_READ.search(text):
        guard.check_size(text)
    found = parse(text, parsing_timeout=None)
    for formula in found:
        if not isinstance(formula, str):  # what math-verify falls back to
            guard.check_size(_printed(formula))
    return found


def _check_brackets(text: str) -> None:
    r"""math-verify seeks `\[...\boxed{...}...\]` by backtracking: the boxes after an unclosed `\[`, cubed."""
    unclosed = text.count(r"\[") - text.count(r"\]")
    if unclosed * text.count(r"\boxed") ** 3 > _STEPS:
        raise guard.Refused(r"many boxes after an unclosed \[")


def _printed(formula: object) -> str:
    try:
        return str(formula)
    except ValueError as error:  # Python prints no integer of more than 4,300 digits
        raise guard.Refused("a number too large to print") from error
