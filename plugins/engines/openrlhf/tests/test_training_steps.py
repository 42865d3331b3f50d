"""Which step trains on a group, where only the order in which groups end decides it."""

import asyncio

from rewardlab_ray.scoring.training_steps import ReleaseOrder, TrainingSteps


def test_a_step_takes_the_next_groups_without_those_that_are_discarded():
    steps = TrainingSteps(batch_size=2, first=5)
    assert [steps.add(discarded) for discarded in (False, True, False, True, False)] == [5, 5, 5, 6, 6]
    assert steps.open == (6, 1)


class TestReleaseOrder:
    def test_a_group_waits_for_those_of_the_step_before_and_no_longer(self):
        async def work():
            order = ReleaseOrder(batch_size=2)
            for key, step in (("a", 1), ("b", 1), ("c", 2), ("d", 2), ("e", 3)):
                order.add(key, step)
            waiting = asyncio.create_task(order.may_go("c", 20))
            assert await order.may_go("a", 20)
            for key in ("a", "a", "stranger"):
                order.received(key)
            assert not await order.may_go("d", 0.01)
            order.received("b")
            assert await waiting
            assert not await order.may_go("e", 0.01)

        asyncio.run(asyncio.wait_for(work(), 30))
