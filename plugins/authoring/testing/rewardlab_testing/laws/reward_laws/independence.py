"""Laws by which a score does not depend on what else is asked: orders, calls, other prompts, arrivals."""

import time
from collections.abc import Iterator, Sequence

from rewardlab import Completion, Sample, Score
from rewardlab.scoring import Item

from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.reward_harness import Bench, bench, fresh_bench
from rewardlab_testing.laws.reward_laws import cases
from rewardlab_testing.laws.reward_laws.comparison import check_same
from rewardlab_testing.outcomes.outcome import NothingToTry

SIZES = (2, 5, 16)
"""completions of a call, besides one and all"""
LONG = 300
"""completions of a long call, which only quick rewards get: more than hosts and models take at once"""
QUICK_S = 0.1
"""a quick reward takes no longer for all completions of a case, one after the other"""
SLOW_S = 1.0
"""a slow reward takes longer for them and is asked in fewer ways; one that runs code, for example"""


def permutation(tested: ComponentUnderTest) -> int:
    asking, sample = bench(tested), tested.example.sample

    def check(completions: list[Completion]) -> None:
        items = cases.items(sample, completions)
        began = time.monotonic()
        straight = asking.score(items)
        slow = time.monotonic() - began > SLOW_S
        for places in _orders(len(items))[: 1 if slow else None]:
            moved = asking.score([items[place] for place in places])
            back = [moved[places.index(place)] for place in range(len(items))]
            how = f"in the order {places}" if len(items) <= cases.MOST else "in another order"
            info = tested.spec.scope != "group"  # there, info may name the others by their places
            own = "as in their own order"
            check_same(tested, completions, straight, back, how=how, expected=own, info=info, together=True)

    return search(check, cases.lists(tested, least=2), tries=tested.tries, first=cases.hard(tested))


def batch(tested: ComponentUnderTest) -> int:
    sample = tested.example.sample
    with fresh_bench(tested) as alone, fresh_bench(tested) as together:
        compared = _groups_apart if tested.spec.scope == "group" else _items_apart

        def check(completions: list[Completion]) -> None:
            compared(tested, sample, completions, alone, together)

        return search(check, cases.lists(tested), tries=tested.tries, first=cases.hard(tested))


def arrival(tested: ComponentUnderTest) -> int:
    if tested.spec.scope != "group":
        raise NothingToTry("it is not of group scope")
    asking, sample = bench(tested), tested.example.sample

    def check(completions: list[Completion]) -> None:
        items = cases.items(sample, completions)
        complete = asking.score(items)
        for places in [list(range(len(items))), *_orders(len(items))]:
            arriving = asking.score_arriving(items, places)
            how = f"as arrivals in the order {places}"
            check_same(tested, completions, complete, arriving, how=how, expected="as of the complete group")

    return search(check, cases.lists(tested), tries=tested.tries, first=cases.hard(tested))


def _items_apart(
    tested: ComponentUnderTest, sample: Sample, completions: Sequence[Completion], alone: Bench, together: Bench
) -> None:
    began = time.monotonic()
    asked_alone = [(completion, alone.score([(sample, completion)])[0]) for completion in completions]
    took = time.monotonic() - began
    # `range` reports what fails alone; if it makes a whole call fail, hosts ask again one by one
    completions = [completion for completion, score in asked_alone if score.error is None]
    expected = [score for _, score in asked_alone if score.error is None]
    own = cases.items(sample, completions)
    if not own:
        return

    def check(scores: Sequence[Score], how: str, at_once: bool = False) -> None:
        check_same(tested, completions, expected, scores, how=how, expected="as alone", together=at_once)

    # first with a sample that says something else, to find scores that are remembered by the text alone
    strangers = together.score_all([[(cases.altered(sample), completion)] for completion in completions])
    if took < QUICK_S:  # in another order than before, to find scores that are remembered by a part of the text
        check([together.score([item])[0] for item in reversed(own)][::-1], "after those that follow it")
    check(together.score(own), f"in one call of {len(own)}", at_once=True)
    if took < SLOW_S:
        check(together.score(own[::-1])[::-1], f"in one call of {len(own)}, in reverse order", at_once=True)
    if took < QUICK_S and len(own) > cases.MOST:  # not of each generated case
        rounds = -(-LONG // len(own))
        check(together.score(own * rounds)[-len(own) :], f"at the end of one call of {rounds * len(own)}")
    for size in SIZES if took < SLOW_S else SIZES[1:2]:
        if size < len(own):
            calls = [own[at : at + size] for at in range(0, len(own), size)]
            check(_joined(together.score_all(calls)), f"in calls of {size}")
    for other in _others(sample, [score for scores in strangers for score in scores]):
        of_other = cases.items(other, completions)
        ways = ((_alternating(of_other, own), 1), (_alternating(own, of_other), 0))
        for mixed, at in ways if took < SLOW_S else ways[:1]:
            check(together.score(mixed)[at::2], "in one call with those of another sample")
            if together.awaits:
                check(_joined(together.score_all([[item] for item in mixed]))[at::2], "while those of another are")


def _groups_apart(
    tested: ComponentUnderTest, sample: Sample, completions: Sequence[Completion], alone: Bench, together: Bench
) -> None:
    own = cases.items(sample, completions)
    expected = alone.score(own)
    before: list[list[Item]] = [cases.items(cases.altered(sample), completions)]
    beside = cases.items(cases.renamed(sample), list(reversed(completions)))
    for calls in (before, [beside, own, [*beside, beside[0]]], [own]):
        scores = together.score_all(calls)
        if own in calls:
            how = "while other groups are" if len(calls) > 1 else "after other groups"
            came = scores[calls.index(own)]
            check_same(tested, completions, expected, came, how=how, expected="as alone")


def _others(sample: Sample, altered: Sequence[Score]) -> Iterator[Sample]:
    """Yield samples to mix into a call with this one; none that the reward refuses, as the whole call would fail."""
    yield cases.renamed(sample)
    if all(score.error is None for score in altered):
        yield cases.altered(sample)


def _alternating(items: Sequence[Item], other: Sequence[Item]) -> list[Item]:
    return [item for pair in zip(items, other, strict=True) for item in pair]


def _joined(calls: Sequence[Sequence[Score]]) -> list[Score]:
    return [score for scores in calls for score in scores]


def _orders(count: int) -> list[list[int]]:
    """Return orders of so many places: backwards, turned by one, and odd places before even ones; without repeats."""
    places = list(range(count))
    orders = [places[::-1], [*places[1:], *places[:1]], [*places[1::2], *places[::2]]]
    return [order for at, order in enumerate(orders) if order != places and order not in orders[:at]]
