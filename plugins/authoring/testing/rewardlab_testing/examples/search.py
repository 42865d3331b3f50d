"""The search for the smallest example that breaks a law, by hypothesis, within a time that people will wait."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy, tuples
from rewardlab import Completion

from rewardlab_testing.outcomes.outcome import LawViolation

MAX_SECONDS = 20.0
"""seconds for one law: where a case takes long, fewer are tried, and a failing example is made less small"""
SEED = 2
"""the seed of the generated values; hypothesis would take a hash of our source, and every edit would change them"""


def search(check: Callable[..., None], *strategies: SearchStrategy[Any], tries: int, first: Sequence[Any] = ()) -> int:
    """Try `check` on up to `tries` generated values, the same at every run, and return how many it looked at.

    Raises the LawViolation with the shortest message. One that does not occur again for the same values is raised all
    the same: a reward that changes its mind breaks a law, too.

    Args:
        first: a list to try before them, if `check` takes lists; if it breaks the law, it is reduced to the fewest
            elements that still do, and completions in it to the shortest texts.
    """
    deadline = time.monotonic() + MAX_SECONDS
    seen = 0
    longest = 0.0
    failures: list[LawViolation] = []

    def look(values: tuple[Any, ...]) -> None:
        nonlocal seen, longest
        if (began := time.monotonic()) + longest > deadline:  # the next may take as long as the longest did
            return
        seen += 1
        try:
            check(*values)
        except LawViolation as broken:
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
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        print_blob=False,  # hypothesis would append it to the message if it sees a CI
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    try:
        seed(SEED)(quiet(looking))()
    except (LawViolation, HypothesisException):
        if not failures:
            raise
    if failures:
        raise min(reversed(failures), key=lambda broken: len(str(broken))) from None  # the last is the simplest
    return seen


def _fewest(check: Callable[..., None], elements: list[Any], deadline: float) -> list[LawViolation]:
    """Return the violations found with ever fewer of the elements, then with ever shorter texts of completions.

    It is empty if all elements together do not break the law.
    """
    failures = _broken(check, elements)
    if not failures:
        return []
    elements = _without(elements, lambda rest: _broken(check, rest) if rest else [], failures, deadline)
    for place, element in enumerate(elements):
        if isinstance(element, Completion):

            def breaks(letters: list[str], place: int = place, element: Completion = element) -> list[LawViolation]:
                shorter = replace(element, text="".join(letters))
                return _broken(check, [*elements[:place], shorter, *elements[place + 1 :]])

            elements[place] = replace(element, text="".join(_without(list(element.text), breaks, failures, deadline)))
    return failures


def _without(
    parts: list[Any], breaks: Callable[[list[Any]], list[LawViolation]], failures: list[LawViolation], deadline: float
) -> list[Any]:
    """Return as few of the parts, in their order, as still break the law; append the violations found to `failures`.

    Halves are left out first, then quarters, and so on down to single parts.
    """
    size = len(parts) + 1
    while size := size // 2:
        for start in range(len(parts) - size, -1, -size):
            if time.monotonic() > deadline:
                return parts
            if smaller := breaks(parts[:start] + parts[start + size :]):
                failures += smaller
                parts = parts[:start] + parts[start + size :]
    return parts


def _broken(check: Callable[..., None], elements: list[Any]) -> list[LawViolation]:
    try:
        check(elements)
    except LawViolation as broken:
        return [broken]
    return []
