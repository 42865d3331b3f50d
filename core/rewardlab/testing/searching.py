"""Looking for the smallest example that breaks a law, by hypothesis, within a time that people wait."""

import time
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from rewardlab.testing.outcome import Broken

LONGEST_S = 20.0
"""for one law: what takes long is looked at less often, and a failing example is made less small"""


def search(check: Callable[..., None], *strategies: SearchStrategy[Any], tries: int) -> int:
    """Try `check` on up to `tries` generated values, the same at every run; how many it saw.

    Raises the Broken with the shortest message. Where a check breaks once and then holds for the same values, that
    is told all the same: a reward that changes its mind breaks a law, too.
    """
    deadline = time.monotonic() + LONGEST_S
    seen = 0
    failures: list[Broken] = []

    def look(values: tuple[Any, ...]) -> None:
        nonlocal seen
        if time.monotonic() > deadline:
            return
        seen += 1
        try:
            check(*values)
        except Broken as broken:
            failures.append(broken)
            raise

    looking = given(_tuples(strategies))(look)
    quiet = settings(
        max_examples=tries,
        derandomize=True,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    try:
        quiet(looking)()
    except (Broken, HypothesisException):
        if not failures:
            raise
    if failures:
        raise min(failures, key=lambda broken: len(str(broken))) from None
    return seen


def _tuples(strategies: tuple[SearchStrategy[Any], ...]) -> SearchStrategy[tuple[Any, ...]]:
    from hypothesis.strategies import tuples

    return tuples(*strategies)
