"""Many questions at once from plain code."""

import asyncio
import threading
import time
from itertools import islice

import pytest
from rewardlab.concurrency.gather import in_order
from rewardlab.errors import JobError


async def slow_when_even(number):
    await asyncio.sleep(0.02 * (number % 2 == 0))
    return number * 10


def test_results_come_in_the_order_of_the_items():
    assert list(in_order(range(20), slow_when_even, at_once=7)) == [number * 10 for number in range(20)]
    assert list(in_order([], slow_when_even, at_once=7)) == []


@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_are_under_way_than_allowed_and_as_many_as_that(at_once):
    now, most = 0, 0

    async def work(number):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.005)
        now -= 1

    list(in_order(range(12), work, at_once))
    assert most == at_once


def test_items_are_read_only_as_far_as_is_needed():
    read = []

    def items():
        for number in range(1000):
            read.append(number)
            yield number

    assert list(islice(in_order(items(), slow_when_even, at_once=4), 5)) == [0, 10, 20, 30, 40]
    assert len(read) <= 5 + 4


def test_the_first_exception_is_raised_where_its_result_would_stand_and_cancels_the_rest():
    cancelled = []

    async def work(number):
        if number == 3:
            raise JobError("three")
        try:
            await asyncio.sleep(0.01 if number < 3 else 3600)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    results = []
    with pytest.raises(JobError, match="three"):
        for result in in_order(range(100), work, at_once=6):
            results.append(result)
    assert results == [0, 1, 2]
    assert set(cancelled) >= {4, 5}


def test_an_exception_of_the_items_is_raised_and_cancels_what_is_under_way():
    cancelled = threading.Event()

    async def work(number):
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def items():
        yield 1
        time.sleep(0.02)
        raise ValueError("torn")

    with pytest.raises(ValueError, match="torn"):
        list(in_order(items(), work, at_once=3))
    assert cancelled.wait(60)


def test_who_stops_reading_leaves_no_thread_behind():
    reading = in_order(range(100), slow_when_even, at_once=5)
    next(reading)
    assert any(thread.name == "rewardlab-asking" for thread in threading.enumerate())
    reading.close()
    assert not any(thread.name == "rewardlab-asking" for thread in threading.enumerate())


def test_nothing_runs_before_the_first_result_is_wanted():
    threads = threading.active_count()
    in_order(range(3), slow_when_even, at_once=5)
    assert threading.active_count() == threads
