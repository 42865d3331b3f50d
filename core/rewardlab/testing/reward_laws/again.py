"""Laws of answering the same: again, built anew, from JSON, off the main thread, in another process, in a Ray actor."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice

from pydantic import ValidationError

from rewardlab.lanes import accept
from rewardlab.specs import Config
from rewardlab.testing.bench import another_bench, bench
from rewardlab.testing.elsewhere import Json, answered_elsewhere, answered_on_ray
from rewardlab.testing.outcome import Broken, NothingToTry
from rewardlab.testing.reward_laws import case
from rewardlab.testing.reward_laws.difference import check_same, jsonable
from rewardlab.testing.rows_read import row_as_json
from rewardlab.testing.searching import search
from rewardlab.testing.trial import Trial
from rewardlab.types import Completion, Score

THERE = "rewardlab.testing.reward_there:scores"
OFTEN_S = 1e-5
"""between two switches of threads; usually 5 ms, in which a call is over before another thread is let in"""
AT_ONCE, CALLS = 16, 48
"""completions of a call, and calls, where several are made at once in threads"""


def repeat(tested: Trial) -> int:
    asking, sample = bench(tested), tested.example.sample
    with another_bench(tested) as built_again:

        def check(completions: list[Completion]) -> None:
            items = case.items(sample, completions)
            first, second = asking.score(items), asking.score(items)
            check_same(tested, completions, first, second, how="a second time", expected="as the first time")
            anew = built_again.score(items)
            check_same(tested, completions, first, anew, how="of one built again", expected="as of the first one")

        return search(check, case.lists(tested), tries=tested.tries, first=case.hard(tested))


def rebuild(tested: Trial) -> int:
    asking, sample = bench(tested), tested.example.sample
    with another_bench(tested, _from_json(tested)) as built_again:

        def check(completions: list[Completion]) -> None:
            items = case.items(sample, completions)
            first, anew = asking.score(items), built_again.score(items)
            how, expected = "of one built from the options as JSON", "as of the one built from the options"
            check_same(tested, completions, first, anew, how=how, expected=expected)

        return search(check, case.lists(tested), tries=tested.tries, first=case.hard(tested))


def thread(tested: Trial) -> int:
    if tested.spec.runs == "worker":
        raise NothingToTry("with runs='worker' it is asked on the main thread of a process of its own")
    asking = bench(tested)
    groups = _groups(tested)
    calls = [case.items(tested.example.sample, group) for group in groups]
    if asking.awaits:
        alone = [asking.score(call) for call in calls]
        _check_all(tested, groups, alone, asking.score_all(calls), "while others are asked", "as alone")
        with another_bench(tested) as other:
            on_main = other.score_on_main(calls)
            # judges may belong to the loop on which they were asked first; what has none is of no loop
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


def _check_at_once(tested: Trial) -> None:
    """Several calls at once, each with several completions, so that it lasts until another thread is let in."""
    asking, every = bench(tested), case.hard(tested)
    parts = list(islice(cycle([every[at : at + AT_ONCE] for at in range(0, len(every), AT_ONCE)]), CALLS))
    calls = [case.items(tested.example.sample, part) for part in parts]
    on_main = asking.score_all(calls)
    with _switching_often():
        at_once = asking.score_off_main(calls, at_once=True)
    _check_all(tested, parts, on_main, at_once, "in one of several threads", "as on the main thread")


def worker(tested: Trial) -> int:
    return _there(tested, answered_elsewhere, "in another process")


def ray(tested: Trial) -> int:
    return _there(tested, answered_on_ray, "in a Ray actor")


def _there(tested: Trial, answered: Callable[[Trial, str, Json], Json], where: str) -> int:
    sample = tested.example.sample
    groups = [
        group  # in another order than here: what the first one leaves behind would be the same
        for group in reversed(_groups(tested))
        if not any(bench(tested).endless((sample, one)) for one in group)
    ]
    payload = {
        "sample": row_as_json(sample),
        "calls": [[_as_json(completion) for completion in group] for group in groups],
        "group": tested.spec.scope == "group",
    }
    answers = answered(tested, THERE, payload)
    here = bench(tested).score_all([case.items(sample, group) for group in groups])
    came = [_read(tested, group, answer) for group, answer in zip(groups, answers, strict=True)]
    _check_all(tested, groups, [list(map(jsonable, scores)) for scores in here], came, where, "as here")
    return sum(map(len, groups))


def _read(tested: Trial, group: Sequence[Completion], answer: Json) -> list[Score]:
    if "raised" in answer:
        return [Score(error=answer["raised"])] * len(group)
    told = [Score(value=value, info=info, error=error) for value, info, error in answer["scores"]]
    try:
        return accept(told, len(group), tested.spec)
    except ValueError as error:
        return [Score(error=str(error))] * len(group)


def _as_json(completion: Completion) -> Json:
    return {"text": completion.text, "token_count": completion.token_count, "truncated": completion.truncated}


def _groups(tested: Trial) -> list[list[Completion]]:
    """What is asked in one call each: single completions; of group scope groups of several and of one."""
    if tested.spec.scope != "group":
        return [[one] for one in case.hard(tested)]
    every = case.hard(tested, 4 * case.MOST)
    return [*(every[at : at + case.MOST] for at in range(0, len(every), case.MOST)), every[:1]]


def _check_all(
    tested: Trial,
    groups: Sequence[Sequence[Completion]],
    first: Sequence[Sequence[Score]],
    then: Sequence[Sequence[Score]],
    how: str,
    expected: str,
) -> None:
    """Broken with the shortest of the differences."""
    differing: list[Broken] = []
    for group, one, other in zip(groups, first, then, strict=True):
        try:
            check_same(tested, group, one, other, how=how, expected=expected)
        except Broken as broken:
            differing.append(broken)
    if differing:
        raise min(differing, key=lambda broken: len(str(broken)))


def _from_json(tested: Trial) -> Config:
    told = tested.options.model_dump(mode="json", by_alias=True, round_trip=True)
    try:
        return tested.spec.config.model_validate(told)
    except ValidationError as error:
        wrong = "; ".join(one["msg"] for one in error.errors())
        raise Broken(f"asked: {told!r}, the options as JSON\ncame: {wrong}\nexpected: options that are valid") from None


@contextmanager
def _switching_often() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
