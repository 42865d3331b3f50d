"""Looking for the smallest example that breaks a law, by hypothesis, within a time that people wait."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy, tuples

from rewardlab.testing.outcome import Broken
from rewardlab.types import Completion

LONGEST_S = 20.0
"""for one law: what takes long is looked at less often, and a failing example is made less small"""


def search(check: Callable[..., None], *strategies: SearchStrategy[Any], tries: int, first: Sequence[Any] = ()) -> int:
    """Try `check` on up to `tries` generated values, the same at every run; how many it saw.

    first: a list that is tried before, where `check` takes one; of one that breaks the fewest elements are found that
    still do, and of completions the shortest texts.

    Raises the Broken with the shortest message. Where a check breaks once and then holds for the same values, that
    is told all the same: a reward that changes its mind breaks a law, too.
    """
    deadline = time.monotonic() + LONGEST_S
    seen = 0
    longest = 0.0
    failures: list[Broken] = []

    def look(values: tuple[Any, ...]) -> None:
        nonlocal seen, longest
        if (began := time.monotonic()) + longest > deadline:  # the next may take as long as the longest did
            return
        seen += 1
        try:
            check(*values)
        except Broken as broken:
            failures.append(broken)
            raise
        finally:
            longest = max(longest, time.monotonic() - began)

    if first:
        seen += 1
        began = time.monotonic()
        failures += _fewest(check, list(first), deadline)
        longest = 0.0 if failures else time.monotonic() - began
    looking = given(tuples(*strategies))(look)
    quiet = settings(
        max_examples=tries,
        derandomize=True,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        print_blob=False,  # which hypothesis appends to the message where it sees a CI
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    try:
        quiet(looking)()
    except (Broken, HypothesisException):
        if not failures:
            raise
    if failures:
        raise min(reversed(failures), key=lambda broken: len(str(broken))) from None  # the last is the simplest
    return seen


def _fewest(check: Callable[..., None], elements: list[Any], deadline: float) -> list[Broken]:
    """What `check` raises of ever fewer of the elements, then of ever shorter texts where these are completions.

    Nothing where all of them together do not break.
    """
    failures = _broken(check, elements)
    if not failures:
        return []
    elements = _without(elements, lambda rest: _broken(check, rest) if rest else [], failures, deadline)
    for place, element in enumerate(elements):
        if isinstance(element, Completion):

            def breaks(letters: list[str], place: int = place, element: Completion = element) -> list[Broken]:
                shorter = replace(element, text="".join(letters))
                return _broken(check, [*elements[:place], shorter, *elements[place + 1 :]])

            elements[place] = replace(element, text="".join(_without(list(element.text), breaks, failures, deadline)))
    return failures


def _without(
    parts: list[Any], breaks: Callable[[list[Any]], list[Broken]], failures: list[Broken], deadline: float
) -> list[Any]:
    """As few of the parts as still break, in their order: halves are left out first, then quarters, ..., one by one."""
    size = len(parts) + 1
    while size := size // 2:
        for start in range(len(parts) - size, -1, -size):
            if time.monotonic() > deadline:
                return parts
            if smaller := breaks(parts[:start] + parts[start + size :]):
                failures += smaller
                parts = parts[:start] + parts[start + size :]
    return parts


def _broken(check: Callable[..., None], elements: list[Any]) -> list[Broken]:
    try:
        check(elements)
    except Broken as broken:
        return [broken]
    return []
