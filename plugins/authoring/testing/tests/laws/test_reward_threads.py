"""The law `thread`: off the main thread, while others are asked, on another loop, and in several threads at once."""

import asyncio
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rewardlab import RewardSpec, Sample, Score
from rewardlab.laws import Laws, RewardExample
from rewardlab_testing.laws.run_laws import try_laws

EXAMPLE = RewardExample(sample=Sample(id="s", prompt=({"role": "user", "content": "?"},)), good=["yes"], bad=["no"])

OFF_MAIN = "asked: 'no' off the main thread\ngot: 0.0\nexpected: 1.0, as on it"


def outcome(score, judges=None, **more):
    """The law's, of a reward whose function `score()` makes."""
    laws = Laws(examples=lambda: [replace(EXAMPLE, judges=judges)])
    spec = RewardSpec(
        name="made", summary="", build=lambda options, context: SimpleNamespace(score=score()), laws=laws, **more
    )
    [tried] = try_laws(spec, tries=1, only=["thread"])
    return tried.outcomes[0]


def is_main():
    return threading.current_thread() is threading.main_thread()


def by_thread():
    return lambda items: [Score(value=float(is_main())) for _ in items]


@pytest.mark.parametrize("runs", ["inline", "thread"])
def test_what_looks_at_its_thread_is_found_and_told_by_the_shortest_text(runs):
    assert outcome(by_thread, runs=runs).why == OFF_MAIN


@pytest.mark.parametrize(
    ("judges", "told"),
    [
        (None, "on another event loop\ngot: 0.0\nexpected: 1.0, as on the first one"),
        (lambda: {"main": None}, OFF_MAIN),
    ],
)
def test_a_coroutine_that_looks_at_its_thread_is_found(judges, told):
    """Judges may be asked on one loop only: those who ask them are compared on the main thread's and off it."""

    def build():
        async def score(items):
            return [Score(value=float(is_main())) for _ in items]

        return score

    assert outcome(build, judges, runs="async").why.endswith(told)


def test_calls_that_mix_up_their_texts_while_they_wait_are_found():
    def build():
        kept = {}

        async def score(items):
            for _, kept["completion"] in items:
                await asyncio.sleep(0.005)
            return [Score(value=float(kept["completion"].text == "yes")) for _ in items]

        return score

    assert "while others are asked\n" in outcome(build, runs="async").why


def test_threads_are_switched_often_while_several_ask_and_then_as_before():
    """What is over within one turn of a thread, as most rewards are, would not meet another."""
    before, seen = sys.getswitchinterval(), {}

    def build():
        def score(items):
            seen.setdefault(threading.current_thread(), set()).add(sys.getswitchinterval())
            return [Score(value=0.5) for _ in items]

        return score

    assert outcome(build, runs="inline").state == "held"
    assert len([thread for thread, intervals in seen.items() if min(intervals) < before / 100]) > 1
    assert sys.getswitchinterval() == before
