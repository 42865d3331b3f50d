"""What all adapters share: the failures of a whole job are counted."""

import asyncio

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab_trainers.recipe_door import RecipeDoor, Trainer, row_of

from .conftest import ROW, faulty

SOME = Trainer(name="a trainer", known="1.0", groups=True)


def test_too_many_failures_end_a_job_of_small_groups(toy):
    door = RecipeDoor(SOME, faulty(on_missing="group_mean", max_missing=0.2))
    texts = ["good", "good", "good", "BAD"]

    async def groups(number):
        for _ in range(number):
            await door.groups([row_of(ROW, "1+1?", [{"text": text} for text in texts])])

    asyncio.run(groups(12))
    with pytest.raises(JobError, match=r"no value for 13 of the last 52 completions \(25.0%; max_missing is 20.0%\)"):
        asyncio.run(groups(1))


def test_a_reward_of_whole_conversations_is_refused_where_the_last_answer_comes(toy):
    recipe = {
        "version": 1,
        "reward": {"components": {"tone": {"use": "format/boxed", "reads": "all"}}, "total": "tone"},
    }
    with pytest.raises(UserError, match=r"tone \(format/boxed\) reads whole conversations, and a trainer hands over"):
        RecipeDoor(SOME, recipe)
