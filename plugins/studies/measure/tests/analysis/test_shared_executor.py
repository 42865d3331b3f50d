"""An executor for two: each group is scored once, and whoever gives up does so alone."""

import asyncio

import pytest
from rewardlab import GroupStream, Score
from rewardlab.concurrency.threads import LoopThread
from rewardlab_measure.compare.shared_executor import SharedExecutor


class Executor:
    def __init__(self):
        self.calls = 0
        self.gate = None

    async def score(self, stream):
        self.calls += 1
        if self.gate is not None:
            await self.gate.wait()
        return [Score(value=float(self.calls))] * stream.size


@pytest.fixture
def shared(home):
    """(the executor, ask(group, ...)): each asks on a loop of its own; what each got."""
    executor = Executor()
    both = SharedExecutor(executor, home)
    asking = LoopThread("asking")

    def ask(*groups):
        async def all_at_once():
            return await asyncio.gather(*(both.score(GroupStream.of(group)) for group in groups))

        return [[score.value for score in scores] for scores in asking.run(all_at_once())]

    yield executor, ask
    asking.close()


def test_the_second_takes_what_came_for_the_first(shared, group_of):
    executor, ask = shared
    assert ask(group_of("x", "y"), group_of("x", "y")) == [[1.0, 1.0], [1.0, 1.0]]
    assert ask(group_of("x", "y")) == [[2.0, 2.0]], "nothing is kept once both have it"
    assert executor.calls == 2


def test_under_one_id_other_texts_are_scored_by_themselves(shared, group_of):
    executor, ask = shared
    assert ask(group_of("x"), group_of("y"), group_of("z")) == [[1.0], [2.0], [3.0]]
    assert executor.calls == 3


def test_who_gives_up_leaves_the_other_one_its_scores(home, group_of):
    executor = Executor()
    both = SharedExecutor(executor, home)

    async def one_gives_up():
        executor.gate = asyncio.Event()
        first, second = (asyncio.create_task(both.score(GroupStream.of(group_of("x")))) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.sleep(0.01)
        executor.gate.set()
        return [score.value for score in await second]

    assert home.run(one_gives_up()) == [1.0]
    assert executor.calls == 1
