"""The reward: the last fenced Python code of a completion, and how many of its row's tests it passes."""

import re
import time
from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Sample, Score

from rewardlab_code.sandbox import Limits, open_sandbox

FENCE = re.compile(r"^```(?:python|py)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)


class CodeTests:
    """Scores items; a sandbox that does not hold what it promises fails when this is built."""

    def __init__(self, options: Any, context: Any = None):
        self._field, self._seconds = options.field, options.seconds
        limits = Limits(seconds=options.seconds, memory=options.memory_mb << 20, file=options.file_mb << 20)
        self._sandbox = open_sandbox(limits)

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        return [self._one(sample, completion) for sample, completion in items]

    def _one(self, sample: Sample, completion: Completion) -> Score:
        tests = sample.fields.get(self._field)
        if not isinstance(tests, list) or not tests or not all(isinstance(test, str) for test in tests):
            return Score(error=f"{self._field!r} is no list of Python texts")
        fenced = FENCE.findall(completion.text.rpartition("</think>")[2])
        if not fenced:
            return Score(value=0.0, info={"passed": 0, "code": False})
        passed, ends = 0, time.monotonic() + self._seconds
        for test in tests:  # one process each, so that no test sees what another left
            left = ends - time.monotonic()
            passed += left > 0 and self._sandbox.passes(fenced[-1], test, left)
        return Score(value=passed / len(tests), info={"passed": passed, "code": True})
