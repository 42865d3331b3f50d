"""The members of a group, which verl hands over one by one from any process, meet at the actor that scores."""

import asyncio
from dataclasses import replace

import pytest
from helpers.group_members import PLACE, TEXTS, InThisProcess, member
from rewardlab import Sample
from rewardlab.errors import JobError
from rewardlab_ray.messages import GroupPlace
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.scoring.coordinator import Coordinator
from rewardlab_ray.scoring.scorer_actor import ScorerActor
from rewardlab_testing.backend_laws.ledger import read_rows

pytestmark = pytest.mark.usefixtures("toy")


def test_each_gets_its_own_part_of_the_groups_advantages(settings, scoring):
    async def work(scorer, coordinator):
        rewards = await asyncio.gather(*(member(scorer, index) for index in (2, 0, 1)))
        return rewards, await coordinator.scored_of(["g", "unknown"])

    (last, first, second), scored = scoring(settings, work)
    rows = list(read_rows(settings.run))
    totals = [row["total"] for row in rows]
    mean = sum(totals) / 3
    assert [first.value, second.value, last.value] == pytest.approx([total - mean for total in totals])
    assert [first.logs["reward/short"], last.logs["reward/short"]] == pytest.approx([1.0, 1 / 3])
    assert [row["completion"] for row in rows] == list(TEXTS), "the ledger has each once, in order"
    assert scored == 3


def test_a_call_that_ray_makes_again_gets_the_same(settings, scoring):
    async def work(scorer, coordinator):
        once = await asyncio.gather(*(member(scorer, index) for index in range(3)))
        return once, [await member(scorer, index) for index in range(3)]

    once, again = scoring(settings, work)
    assert once == again
    assert len(list(read_rows(settings.run))) == 3


def test_a_scorer_that_is_restarted_answers_those_that_the_one_before_it_did_not(settings, scoring):
    """Member 0 has its reward and does not come again: no group meets here."""

    async def work(scorer, coordinator):
        once = [await reward for reward in [member(scorer, index) for index in range(3)]]
        successor = ScorerActor(settings, coordinator=InThisProcess(coordinator))
        again = [await member(successor, index) for index in (1, 2)]
        assert await successor.member(PLACE, 1, None) is None
        place = replace(PLACE, key="unknown")
        other = await asyncio.gather(*(member(successor, index, place) for index in range(3)))
        await successor.close()
        return once, again, other

    once, again, other = scoring(settings, work)
    assert again == once[1:]
    assert other == once, "a group that it has to score itself"
    assert len(list(read_rows(settings.run))) == 6


def test_the_others_are_a_group_of_their_own_if_the_recipe_says_so(settings, scoring):
    async def work(scorer, coordinator):
        others = [member(scorer, 0), member(scorer, 2)]
        assert await scorer.member(PLACE, 1, None) is None
        return await asyncio.gather(*others), await coordinator.scored_of(["g"])

    (first, last), scored = scoring(replace(settings, on_partial="score"), work)
    assert scored == 2, "under its own name, by which the engine's whole batch is whitened"
    rows = list(read_rows(settings.run))
    assert [row["completion"] for row in rows] == [TEXTS[0], TEXTS[2]]
    assert first.value == pytest.approx((rows[0]["total"] - rows[1]["total"]) / 2)
    assert last.value == pytest.approx(-first.value)


def test_a_lost_member_ends_the_job_otherwise(settings, scoring):
    async def work(scorer, coordinator):
        waiting = member(scorer, 0)
        await scorer.member(PLACE, 1, None, "the engine said so")
        await scorer.member(PLACE, 2, None)
        with pytest.raises(JobError) as raised:
            await waiting
        return str(raised.value), await coordinator.failure()

    raised, failure = scoring(settings, work)
    assert raised == failure
    assert raised.startswith("row 3 of the training prompts: 2 of 3 completions were lost, or not there after 3600 s")
    assert raised.endswith("; the last of them: the engine said so; `on_partial: score` scores the others")
    assert not list(read_rows(settings.run))


@pytest.mark.parametrize("on_partial", ["fail", "score"])
def test_a_group_of_which_nothing_is_left_ends_the_job_though_nobody_waits_for_it(settings, scoring, on_partial):
    async def work(scorer, coordinator):
        await scorer.member(PLACE, 0, None)
        await scorer.member(PLACE, 1, None)
        assert await coordinator.failure() is None
        with pytest.raises(JobError):
            await scorer.member(PLACE, 2, None, "the engine said so")
        assert await scorer.member(PLACE, 2, None) is None, "a call that Ray makes again"
        return await coordinator.failure()

    failure = scoring(replace(settings, on_partial=on_partial), work)
    assert failure.startswith("row 3 of the training prompts: 3 of 3 completions were lost")
    assert failure.endswith("; the last of them: the engine said so")


@pytest.mark.parametrize("on_partial", ["fail", "score"])
def test_nobody_waits_for_ever_for_one_that_never_comes(settings, scoring, on_partial):
    """verl's own trainer would: a request that is lost on the way is nobody's error there."""

    async def work(scorer, coordinator):
        await scorer.ready()
        found = await asyncio.gather(member(scorer, 0), member(scorer, 2), return_exceptions=True)
        late = await asyncio.gather(member(scorer, 1), return_exceptions=True)
        return found, late, await coordinator.failure()

    found, [late], failure = scoring(replace(settings, on_partial=on_partial, completion_timeout=0.5), work)
    assert isinstance(late, JobError)
    if on_partial == "score":
        assert failure is None
        assert str(late) == "row 3 of the training prompts: completion 1 came after the others had been scored"
        assert sum(reward.value for reward in found) == pytest.approx(0)
    else:
        assert "1 of 3 completions were lost, or not there after 0.5 s (completion_timeout)" in failure
        assert {str(error) for error in found} == {failure}


def test_an_evaluation_is_recorded_with_the_step_of_its_weights(settings, scoring):
    samples = [Sample(id="held out", prompt=({"role": "user", "content": "?"},))]
    write_rows(settings.folder / "evaluation_samples.jsonl", (Row(sample=one, prompt="?") for one in samples))

    async def work(scorer, coordinator):
        place = GroupPlace(key="e", row=0, evaluation=True, step=0, size=3)
        await asyncio.gather(*(member(scorer, index, place) for index in range(3)))

    recipe = settings.recipe.read_text().replace("group_size: 3", "group_size: 3, eval: {samples: 3}")
    settings.recipe.write_text(recipe.replace("rows: 8}", "rows: 8}, holdout: 0.5"))
    scoring(replace(settings, evaluation_rows=1), work)
    assert {(row["phase"], row["step"], row["trained"]) for row in read_rows(settings.run)} == {("before", 0, "no")}
    assert (settings.run / "evaluation" / "0-rl-before.json").exists()


def test_a_coordinator_that_takes_over_knows_what_an_engine_that_generates_ahead_has(settings, scoring):
    """`c` is of step 2: it goes once both groups of step 1 are there, whoever says so."""

    async def score(scorer, key):
        await asyncio.gather(*(member(scorer, index, replace(PLACE, key=key, step=None)) for index in range(3)))

    async def work(scorer, first):
        for key in "abc":
            await score(scorer, key)
        await first.received("a")
        second = Coordinator(ahead)
        before = [await second.may_go(key, 0) for key in "abc"]
        for _ in range(2):  # a call that Ray makes again
            await second.received("b")
        third = Coordinator(ahead)
        return before, await third.may_go("c", 0)

    ahead = replace(settings, generates_ahead=True)
    assert scoring(ahead, work) == ([True, True, False], True)
