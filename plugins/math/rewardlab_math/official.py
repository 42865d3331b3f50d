"""math/accuracy with `profile: sp3f_official`: what SP3F's published training code scores.

Source: sp3f ab306b4, reward_fn.py (train branch) with yaeval-harness 013486c and math-verify 0.9.0: the whole text is
searched for a box, and the box and the gold are parsed as bare strings, without LaTeX delimiters, so that formulas
often differ from themselves. Its time limits of 5 s for each step count here as one limit, in processor time.
"""

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
            guard.check_size(str(gold) + " , " + answer)
            right = call_within(self._seconds, lambda: official_equal(answer, str(gold)))
        except guard.Refused as error:
            return Score(value=0.0, info={**info, "refused": str(error)})
        except TimeLimitExceeded:
            return Score(value=0.0, info={**info, "timed_out": True})
        return Score(value=float(right), info=info)


def official_equal(answer: str, gold: str) -> bool:
    """math_eval of the published code, without its time limits; errors count as different there, and so here."""
    with algebra.parser:
        try:
            parsed = parse(gold, parsing_timeout=None), parse(answer, parsing_timeout=None)
            return bool(verify(*parsed, timeout_seconds=None))
        except Exception:
            return False
