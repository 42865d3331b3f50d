"""The bench asks a built reward as a host does, and judges its answers as a host judges them."""

import asyncio
import re
import threading
import time
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, RewardSpec, Sample, Score
from rewardlab_testing.harness import reward_harness as bench_module
from rewardlab_testing.harness.hang import Hang
from rewardlab_testing.harness.reward_harness import Bench

SAMPLE = Sample(id="s")


def items(*texts):
    return [(SAMPLE, Completion(text=text)) for text in texts]


@contextmanager
def bench(score, **spec):
    spec = RewardSpec(name="made", summary="", build=lambda options, context: None, **spec)
    made = Bench(spec, SimpleNamespace(score=score))
    try:
        yield made
    finally:
        made.close()


@each_case(
    "returned, said",
    [
        ([Score(value=float("nan"))], "value nan is not finite"),
        ([Score(value=2.0)], "value 2.0 is outside the declared range [0, 1]"),
        ([0.5], "returned float, not a Score"),
        ([], "ValueError: score returned 0 scores for 1 completion"),
        (None, "TypeError: score returned NoneType, not a list of Score"),
        ([Score(value=0.5, info={"raw": {1}})], "info['raw'] is not a JSON value: "),
    ],
)
def test_what_breaks_the_contract_is_a_failure_that_says_so(returned, said):
    with bench(lambda asked: returned) as made:
        [score] = made.score(items("a"))
    assert score.value is None
    assert score.error.startswith(said)


def test_an_exception_fails_the_whole_call_and_names_its_place():
    with bench(lambda asked: 1 / 0) as made:
        scores = made.score(items("a", "b"))
    place = r"ZeroDivisionError: division by zero \(at test_bench.py:\d+\)"
    assert [bool(re.fullmatch(place, score.error)) for score in scores] == [True, True]


def test_a_call_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr(bench_module, "INLINE_LIMIT", 0.05)
    with bench(lambda asked: re.match("(a+)+b", "a" * 60), runs="inline") as made:
        for ask in (made.score, made.raw, made.score):
            with pytest.raises(
                Hang, match=r"asked: 'a'\ngot: no answer within 0\.05 s \(at test_bench\.py:\d+\); it hangs\n"
            ):
                ask(items("a"))


def test_what_hangs_in_a_call_is_named_where_it_hangs_alone_too(monkeypatch):
    monkeypatch.setattr(bench_module, "INLINE_LIMIT", 0.1)

    def loops(asked):
        if any("x" in completion.text for _, completion in asked):
            with suppress(Exception):  # the one that ends it
                time.sleep(60)
        return [Score(value=1.0)] * len(asked)

    with bench(loops, runs="inline") as made, pytest.raises(Hang, match=r"asked: 'x', in one call of 3 completions"):
        made.score(items("a", "x", "b"))


def test_coroutines_that_hang_are_given_up(monkeypatch):
    monkeypatch.setattr(bench_module, "LIMIT", 0.05)

    async def waits(asked):
        await asyncio.sleep(60)

    with bench(waits, runs="async") as made, pytest.raises(Hang, match=r"asked: one call of 2 completions\ngot: no "):
        made.score(items("a", "b"))


def test_coroutines_are_all_under_way_at_once_and_plain_functions_are_not():
    under_way = []

    async def waiting(asked):
        under_way.append(asked)
        while len(under_way) < 2:
            await asyncio.sleep(0)
        return [Score(value=1.0)] * len(asked)

    with bench(waiting, runs="async") as made:
        assert made.score_all([items("a"), items("b", "c")]) == [[Score(value=1.0)], [Score(value=1.0)] * 2]

    seen = []

    def plain(asked):
        seen.append(asked)
        return [Score(value=len(seen) / 2)]

    with bench(plain) as made:
        assert made.score_all([items("a"), items("b")]) == [[Score(value=0.5)], [Score(value=1.0)]]


def test_a_group_is_asked_as_a_stream_and_may_arrive_in_any_order():
    async def arrivals(stream):
        order = [index async for index, _ in stream]
        return [Score(value=order.index(index) / stream.size) for index in range(stream.size)]

    with bench(arrivals, scope="group") as made:
        assert [score.value for score in made.score(items("a", "b"))] == [0.0, 0.5]
        assert [score.value for score in made.score_arriving(items("a", "b"), [1, 0])] == [0.5, 0.0]


def test_calls_are_made_on_the_main_thread_unless_asked_otherwise():
    def score(asked):
        return [Score(value=float(threading.current_thread() is threading.main_thread()))]

    async def awaited(asked):
        return score(asked)

    with bench(score) as made:
        assert made.score(items("a")) == [Score(value=1.0)]
        assert made.score_off_main([items("a")], at_once=False) == [[Score(value=0.0)]]
    with bench(awaited, runs="async") as made:
        assert made.score(items("a")) == [Score(value=0.0)]
        assert made.score_on_main([items("a")]) == [[Score(value=1.0)]]


@pytest.mark.parametrize("runs", ["inline", "async"])
def test_raw_answers_are_as_they_were_given(runs):
    async def awaited(asked):
        return "nothing like it"

    with bench(awaited if runs == "async" else lambda asked: "nothing like it", runs=runs) as made:
        assert made.raw(items("a")) == "nothing like it"
