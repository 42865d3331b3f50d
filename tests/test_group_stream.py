"""The group barrier: readers in any loop and thread see the completions of one prompt as they arrive."""

import asyncio
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewardlab import Completion, Group, GroupStream, Sample

SAMPLE = Sample(id="s1")
orders = st.integers(1, 9).flatmap(lambda size: st.permutations(range(size)))


def completion(index):
    return Completion(text=f"answer {index}")


async def seen(stream):
    """(index, completion) as one reader gets them."""
    return [arrival async for arrival in stream]


def read_in_thread(stream, how=seen):
    """A reader with an event loop of its own, in a thread of its own; `thread.result()` waits for it."""
    outcome = []

    def read():
        try:
            outcome.append(asyncio.run(how(stream)))
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=read)
    thread.start()

    def result():
        thread.join(10)
        assert not thread.is_alive(), "the reader waits for ever"
        return outcome[0]

    thread.result = result
    return thread


@given(orders)
def test_readers_see_arrivals_in_their_order_and_the_group_in_the_order_of_indices(order):
    stream = GroupStream(SAMPLE, len(order))
    for index in order:
        stream.put(index, completion(index))
    assert stream.size == len(order)
    assert asyncio.run(seen(stream)) == [(index, completion(index)) for index in order]
    whole = asyncio.run(stream.group())
    assert whole == Group(sample=SAMPLE, completions=tuple(map(completion, range(len(order)))))


@settings(max_examples=20)
@given(orders, st.data())
def test_every_reader_in_every_thread_sees_every_arrival_once_whenever_it_begins(order, data):
    stream = GroupStream(SAMPLE, len(order))
    joins = data.draw(st.lists(st.integers(0, len(order)), min_size=1, max_size=3))
    readers = []
    for position, index in enumerate([*order, None]):
        readers += [read_in_thread(stream) for join in joins if join == position]
        if index is not None:
            stream.put(index, completion(index))
    assert [reader.result() for reader in readers] == [[(i, completion(i)) for i in order]] * len(joins)


def test_several_producers_and_several_readers_of_one_loop():
    async def scenario():
        stream = GroupStream(SAMPLE, 40)
        readers = [asyncio.create_task(seen(stream)) for _ in range(3)]
        whole = asyncio.create_task(stream.group())
        await asyncio.sleep(0)
        producers = [
            threading.Thread(target=lambda s=start: [stream.put(i, completion(i)) for i in range(s, 40, 4)])
            for start in range(4)
        ]
        for producer in producers:
            producer.start()
        return await asyncio.gather(whole, *readers)

    whole, *arrivals = asyncio.run(asyncio.wait_for(scenario(), 10))
    assert whole.completions == tuple(map(completion, range(40)))
    assert all(one == arrivals[0] for one in arrivals)
    assert sorted(index for index, _ in arrivals[0]) == list(range(40))


def test_an_arrival_is_seen_before_the_next_one_is_there():
    stream = GroupStream(SAMPLE, 2)

    async def first(stream):
        return await anext(aiter(stream))

    reader = read_in_thread(stream, first)
    time.sleep(0.02)  # it waits
    stream.put(1, completion(1))
    assert reader.result() == (1, completion(1))


def test_a_complete_group_as_a_stream():
    group = Group(sample=SAMPLE, completions=tuple(map(completion, range(3))))
    stream = GroupStream.of(group)
    assert asyncio.run(stream.group()) == group
    assert asyncio.run(seen(stream)) == list(enumerate(group.completions))
    with pytest.raises(ValueError, match="arrived twice"):
        stream.put(0, completion(0))


def test_a_group_of_one():
    stream = GroupStream(SAMPLE, 1)
    stream.put(0, completion(0))
    assert asyncio.run(seen(stream)) == [(0, completion(0))]


def test_a_group_of_none_is_refused():
    with pytest.raises(ValueError, match="at least one completion, not 0"):
        GroupStream(SAMPLE, 0)
    with pytest.raises(ValueError, match="at least one"):
        GroupStream.of(Group(sample=SAMPLE, completions=()))


def test_a_wrong_arrival_is_refused_and_harms_nothing():
    stream = GroupStream(SAMPLE, 2)
    stream.put(1, completion(1))
    with pytest.raises(ValueError, match="completion 1 of sample 's1' arrived twice"):
        stream.put(1, Completion(text="another"))
    for index in (-1, 2):
        with pytest.raises(IndexError, match=f"index {index} in a group of 2"):
            stream.put(index, completion(0))
    stream.put(0, completion(0))
    assert asyncio.run(stream.group()).completions == (completion(0), completion(1))


class TestAProducerThatFails:
    def test_gives_its_exception_to_readers_that_wait_and_to_those_that_come(self):
        stream = GroupStream(SAMPLE, 2)
        waiting = [read_in_thread(stream), read_in_thread(stream, GroupStream.group)]
        time.sleep(0.02)
        stream.fail(OSError("the engine is gone"))
        late = read_in_thread(stream, GroupStream.group)
        for reader in (*waiting, late):
            assert repr(reader.result()) == "OSError('the engine is gone')"

    def test_takes_nothing_back_that_has_arrived(self):
        stream = GroupStream(SAMPLE, 2)
        stream.put(1, completion(1))
        stream.fail(ConnectionError())
        arrivals = []

        async def read():
            async for arrival in stream:
                arrivals.append(arrival)

        with pytest.raises(ConnectionError):
            asyncio.run(read())
        assert arrivals == [(1, completion(1))]

    def test_changes_nothing_for_a_group_that_is_complete(self):
        stream = GroupStream(SAMPLE, 1)
        stream.put(0, completion(0))
        stream.fail(ConnectionError())
        assert asyncio.run(stream.group()).completions == (completion(0),)

    def test_is_known_by_its_first_failure(self):
        stream = GroupStream(SAMPLE, 1)
        stream.fail(OSError("first"))
        stream.fail(ValueError("then"))
        with pytest.raises(OSError, match="first"):
            asyncio.run(stream.group())

    @pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError()])
    def test_by_an_interrupt_does_not_interrupt_its_readers(self, stop):
        stream = GroupStream(SAMPLE, 1)
        stream.fail(stop)
        with pytest.raises(RuntimeError, match=f"the rest of sample 's1' will not come: {type(stop).__name__}"):
            asyncio.run(stream.group())


class TestAReaderThatLeaves:
    def test_disturbs_nobody(self, caplog):
        async def scenario():
            stream = GroupStream(SAMPLE, 1)
            leaving, staying = asyncio.create_task(stream.group()), asyncio.create_task(stream.group())
            await asyncio.sleep(0)
            leaving.cancel()
            stream.put(0, completion(0))
            return await staying

        assert asyncio.run(scenario()).completions == (completion(0),)
        assert not caplog.records, "the loop complains"

    def test_with_its_loop_does_not_harm_the_producer(self):
        stream = GroupStream(SAMPLE, 1)
        loop = asyncio.new_event_loop()
        reader = loop.create_task(stream.group())
        loop.call_soon(loop.stop)
        loop.run_forever()
        reader.cancel()
        loop.call_soon(loop.stop)
        loop.run_forever()
        loop.close()
        stream.put(0, completion(0))
        assert asyncio.run(stream.group()).completions == (completion(0),)
