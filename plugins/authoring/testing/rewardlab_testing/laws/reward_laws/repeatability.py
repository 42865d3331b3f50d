"""Laws by which the answer stays the same: again, built anew, from JSON, off the main thread, elsewhere."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice

from pydantic import ValidationError
from rewardlab import Completion, Config, Score
from rewardlab.scoring import checked_scores

from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.dataset_rows import row_as_json
from rewardlab_testing.harness.other_process import Json, call_in_process, call_in_ray_actor
from rewardlab_testing.harness.reward_harness import bench, fresh_bench
from rewardlab_testing.laws.reward_laws import cases
from rewardlab_testing.laws.reward_laws.comparison import as_from_json, check_same
from rewardlab_testing.outcomes.messages import violation
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry

SCORES = "rewardlab_testing.harness.reward_in_other_process:scores"
"""the function that the other process calls"""
OFTEN_S = 1e-5
"""seconds between switches of threads; in the usual 5 ms a call is over before another thread gets its turn"""
AT_ONCE, CALLS = 16, 48
"""completions of a call, and calls, if several are made at once in threads"""


def repeat(tested: ComponentUnderTest) -> int:
    asking, sample = bench(tested), tested.example.sample
    with fresh_bench(tested) as built_again:

        def check(completions: list[Completion]) -> None:
            items = cases.items(sample, completions)
            first, second = asking.score(items), asking.score(items)
            check_same(tested, completions, first, second, how="a second time", expected="as the first time")
            anew = built_again.score(items)
            check_same(tested, completions, first, anew, how="of one built again", expected="as of the first one")

        return search(check, cases.lists(tested), tries=tested.tries, first=cases.hard(tested))


def rebuild(tested: ComponentUnderTest) -> int:
    asking, sample = bench(tested), tested.example.sample
    with fresh_bench(tested, _options_from_json(tested)) as built_again:

        def check(completions: list[Completion]) -> None:
            items = cases.items(sample, completions)
            first, anew = asking.score(items), built_again.score(items)
            how, expected = "of one built from the options as JSON", "as of the one built from the options"
            check_same(tested, completions, first, anew, how=how, expected=expected)

        return search(check, cases.lists(tested), tries=tested.tries, first=cases.hard(tested))


def thread(tested: ComponentUnderTest) -> int:
    if tested.spec.runs == "worker":
        raise NothingToTry("with runs='worker' it is asked on the main thread of a process of its own")
    asking = bench(tested)
    groups = _groups(tested)
    calls = [cases.items(tested.example.sample, group) for group in groups]
    if asking.awaits:
        alone = [asking.score(call) for call in calls]
        _check_all(tested, groups, alone, asking.score_all(calls), "while others are asked", "as alone")
        with fresh_bench(tested) as other:
            on_main = other.score_on_main(calls)
            # judges may belong to the loop on which they were asked first; a reward without any must not
            elsewhere = on_main if tested.judges else other.score_all(calls)
        _check_all(tested, groups, on_main, elsewhere, "on another event loop", "as on the first one")
        _check_all(tested, groups, on_main, alone, "off the main thread", "as on it")
    else:
        on_main = asking.score_all(calls)
        off_main = asking.score_off_main(calls, at_once=False)
        _check_all(tested, groups, on_main, off_main, "off the main thread", "as on it")
    if asking.spec.runs == "inline" and not asking.awaits:
        _check_at_once(tested)
    return len(groups)


def _check_at_once(tested: ComponentUnderTest) -> None:
    """Make several calls at once, each with so many completions that it lasts until another thread gets its turn."""
    asking, every = bench(tested), cases.hard(tested)
    parts = list(islice(cycle([every[at : at + AT_ONCE] for at in range(0, len(every), AT_ONCE)]), CALLS))
    calls = [cases.items(tested.example.sample, part) for part in parts]
    on_main = asking.score_all(calls)
    with _switching_often():
        at_once = asking.score_off_main(calls, at_once=True)
    _check_all(tested, parts, on_main, at_once, "in one of several threads", "as on the main thread")


def worker(tested: ComponentUnderTest) -> int:
    return _check_elsewhere(tested, call_in_process, "in another process")


def ray(tested: ComponentUnderTest) -> int:
    return _check_elsewhere(tested, call_in_ray_actor, "in a Ray actor")


def _check_elsewhere(
    tested: ComponentUnderTest, ask: Callable[[ComponentUnderTest, str, Json], Json], where: str
) -> int:
    sample = tested.example.sample
    groups = [
        group  # in another order than here: in the same order, state left by the first call would not show
        for group in reversed(_groups(tested))
        if not any(bench(tested).endless((sample, completion)) for completion in group)
    ]
    payload = {
        "sample": row_as_json(sample),
        "calls": [[completion.as_dict() for completion in group] for group in groups],
        "group": tested.spec.scope == "group",
    }
    answers = ask(tested, SCORES, payload)
    here = bench(tested).score_all([cases.items(sample, group) for group in groups])
    there = [_read(tested, group, answer) for group, answer in zip(groups, answers, strict=True)]
    _check_all(tested, groups, [list(map(as_from_json, scores)) for scores in here], there, where, "as here")
    return sum(map(len, groups))


def _read(tested: ComponentUnderTest, group: Sequence[Completion], answer: Json) -> list[Score]:
    if "raised" in answer:
        return [Score(error=answer["raised"])] * len(group)
    scores = [Score(value=value, info=info, error=error) for value, info, error in answer["scores"]]
    try:
        return checked_scores(scores, len(group), tested.spec)
    except ValueError as error:
        return [Score(error=str(error))] * len(group)


def _groups(tested: ComponentUnderTest) -> list[list[Completion]]:
    """Return the completions of each call: single ones; of group scope, groups of several and of one."""
    if tested.spec.scope != "group":
        return [[completion] for completion in cases.hard(tested)]
    every = cases.hard(tested, 4 * cases.MOST)
    return [*(every[at : at + cases.MOST] for at in range(0, len(every), cases.MOST)), every[:1]]


def _check_all(
    tested: ComponentUnderTest,
    groups: Sequence[Sequence[Completion]],
    first: Sequence[Sequence[Score]],
    then: Sequence[Sequence[Score]],
    how: str,
    expected: str,
) -> None:
    """Raise the LawViolation with the shortest message among all differences."""
    differing: list[LawViolation] = []
    for group, scores, other in zip(groups, first, then, strict=True):
        try:
            check_same(tested, group, scores, other, how=how, expected=expected)
        except LawViolation as broken:
            differing.append(broken)
    if differing:
        raise min(differing, key=lambda broken: len(str(broken)))


def _options_from_json(tested: ComponentUnderTest) -> Config:
    dumped = tested.options.model_dump(mode="json", by_alias=True, round_trip=True)
    try:
        return tested.spec.config.model_validate(dumped)
    except ValidationError as error:
        wrong = "; ".join(mistake["msg"] for mistake in error.errors())
        raise violation(f"{dumped!r}, the options as JSON", wrong, "options that are valid") from None


@contextmanager
def _switching_often() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
