"""A limit on processor time that holds in every thread."""

import gc
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from rewardlab_math.deadline import TimeLimitExceeded, call_within

# raised in a callback that Python itself makes, the exception is dropped, reported, and raised again a second later
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return seconds


def within(limit, seconds):
    try:
        return call_within(limit, lambda: work(seconds))
    except TimeLimitExceeded:
        return None


def test_a_quick_call_returns_its_result():
    assert call_within(5, lambda: 42) == 42


def test_a_slow_call_is_interrupted():
    assert within(0.1, 60) is None


def test_it_holds_in_other_threads_and_for_each_alone():
    with ThreadPoolExecutor(4) as threads:
        results = threads.map(lambda seconds: within(0.08, seconds), [0.01, 60, 0.02, 60, 60, 0.03])
    assert list(results) == [0.01, None, 0.02, None, None, 0.03]


def test_waiting_is_not_working():
    assert call_within(0.05, lambda: time.sleep(0.2) or "slept") == "slept"


def test_exceptions_pass_through():
    with pytest.raises(ZeroDivisionError):
        call_within(5, lambda: 1 / 0)


def test_a_library_that_swallows_everything_is_still_late():
    def swallows():
        try:
            work(5)
        except BaseException:
            return "as if nothing had happened"

    with pytest.raises(TimeLimitExceeded):
        call_within(0.1, swallows)


def test_it_is_not_lost_in_a_callback_of_the_garbage_collector(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)

    def slow_callback(phase, info):
        work(0.05)

    gc.callbacks.append(slow_callback)
    try:
        with pytest.raises(TimeLimitExceeded):
            call_within(0.02, lambda: [(gc.collect(0), work(0.02)) for _ in range(100)])
    finally:
        gc.callbacks.remove(slow_callback)
    assert not seen


def test_nothing_is_raised_after_the_call():
    for n in range(40):
        around_the_limit = 0.002 + (n % 20 - 10) * 1e-4
        within(0.002, around_the_limit)
        work(0.0005)
    assert not any(type(thread).__name__ == "_Watcher" for thread in threading.enumerate())
