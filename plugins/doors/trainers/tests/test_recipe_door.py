"""What all adapters share: the failures of a whole job are counted."""

import asyncio
from dataclasses import replace

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab_trainers.recipe_door import RecipeDoor, Trainer, row_of

from .conftest import ROW, faulty, teaching

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


def test_what_a_trainer_does_not_say_of_a_completion_is_refused_if_the_total_needs_it(toy):
    components = {"right": {"use": "format/boxed"}, "cost": {"use": "rollout/seconds", "with": {"most": 9}}}
    recipe = {"version": 1, "reward": {"components": components, "total": "right + cost"}}
    with pytest.raises(UserError, match=r"rollout/seconds needs the seconds of each completion, and a trainer"):
        RecipeDoor(SOME, recipe)
    RecipeDoor(replace(SOME, completions=["seconds"]), recipe)
    components["cost"]["on_abstain"] = 0
    RecipeDoor(SOME, recipe)


def test_a_group_that_does_not_teach_has_one_reward_for_all(toy):
    """Its totals differ, by letters, and a trainer's baseline would make advantages of that."""
    door = RecipeDoor(SOME, teaching("drop"))
    rows = [row_of(ROW, f"{text}?", [{"text": text}, {"text": "b1"}]) for text in ("a", "a 1 2 3")]
    flat, taught = door.groups_now(rows)
    assert len({*flat.totals}) == 2
    assert flat.left_out == "flat in short"
    assert list(flat.shaped) == [sum(flat.totals) / 2] * 2
    assert list(taught.shaped) == list(taught.totals)


@pytest.mark.parametrize(
    ("flat", "groups", "what"),
    [
        ("replace", True, "a trainer generates no other prompts for a reward; write drop"),
        ("drop", False, "reward.teach: which groups are flat is not known of one completion, and a trainer hands"),
    ],
)
def test_a_recipe_that_leaves_groups_out_as_the_trainer_cannot_is_refused(toy, flat, groups, what):
    with pytest.raises(UserError, match=what):
        RecipeDoor(Trainer(name="a trainer", known="1.0", groups=groups), teaching(flat))
