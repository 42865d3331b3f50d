"""The members of a group, which verl hands over one by one from any process, meet at the actor that scores."""

import asyncio
import json
import shutil
from dataclasses import replace

import pytest
from helpers.recorded_groups import recorded_groups
from rewardlab import Completion, Sample
from rewardlab.errors import JobError
from rewardlab_ray.messages import GroupPlace
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.scoring.coordinator import Coordinator
from rewardlab_ray.scoring.scorer_actor import ScorerActor
from rewardlab_ray.scoring.service_settings import ServiceSettings
from rewardlab_ray.scoring.step_log import ScoredStepLog
from rewardlab_testing.backend_laws.ledger import read_rows

RECIPE = """
version: 1
model: org/model
dataset: {use: toy/counting, with: {rows: 8}}
reward:
  components:
    short: {use: toy/brevity, with: {words: 1}}
    longest: {use: toy/longest}
  total: short + longest
stages:
- {use: rl, algorithm: dr_grpo, batch_size: 2, group_size: 3}
backend: {use: verl, gpus_per_node: 1}
"""
PLACE = GroupPlace(key="g", row=3, evaluation=False, step=1, size=3, position=0)
TEXTS = ("one", "one two", "one two three")
pytestmark = pytest.mark.usefixtures("toy")


class InThisProcess:
    """Calls an actor's methods on the loop that it was made on."""

    waiting = 0

    def __init__(self, actor):
        self._actor, self._loop = actor, asyncio.get_running_loop()

    async def call(self, method, *arguments):
        called = asyncio.run_coroutine_threadsafe(getattr(self._actor, method)(*arguments), self._loop)
        return await asyncio.wrap_future(called)


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "run" / "engine" / "0-rl"
    folder.mkdir(parents=True)
    recipe = tmp_path / "run" / "recipe.resolved.yaml"
    recipe.write_text(RECIPE)
    samples = [Sample(id=str(n), prompt=({"role": "user", "content": f"{n} + 1?"},)) for n in range(8)]
    write_rows(folder / "samples.jsonl", (Row(sample=sample, prompt="?") for sample in samples))
    (folder / "order.json").write_text(json.dumps([3, 1]))
    given = {"job": "made", "run": tmp_path / "run", "recipe": recipe, "stage": 0, "attempt": 0}
    return ServiceSettings(**given, folder=folder, home=tmp_path)


@pytest.fixture
def scoring():
    """Run `work(scorer, coordinator)`; both are closed after it."""

    def run(settings, work):
        async def whole():
            coordinator = Coordinator(settings)
            scorer = ScorerActor(settings, coordinator=InThisProcess(coordinator))
            try:
                return await work(scorer, coordinator)
            finally:
                await scorer.close()
                await coordinator.close()

        return asyncio.run(asyncio.wait_for(whole(), 60))

    return run


def member(scorer, index, place=PLACE):
    return asyncio.ensure_future(scorer.member(place, index, Completion(text=TEXTS[index], token_count=1)))


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


class TestGroupsThatTheEngineLeavesOutByItself:
    """They wait until it says on which it trains; `short` is their outcome."""

    KEYS = ("flat", "one", "two", "surplus")

    @pytest.fixture
    def filtered(self, settings):
        teach = "reward:\n  teach: {flat: replace, by: short}"
        settings.recipe.write_text(settings.recipe.read_text().replace("reward:", teach))
        return replace(settings, replaces=True, says_trained=True)

    async def score_all(self, scorer):
        places = [replace(PLACE, key=key) for key in self.KEYS]
        await asyncio.gather(*(member(scorer, index, place) for place in places for index in range(3)))

    def said(self, settings):
        """What the ledger says of each group, in its order."""
        return {key: (rows[0]["step"], rows[0]["trained"]) for key, rows in recorded_groups(settings.run).items()}

    def test_the_ledger_has_what_it_said(self, filtered, scoring):
        async def work(scorer, coordinator):
            await self.score_all(scorer)
            before = self.said(filtered)
            for _ in range(2):  # a call that is made again changes nothing
                await coordinator.trained(1, ["two", "one", "unknown"])
            return before, await coordinator.scored_of(self.KEYS)

        before, scored = scoring(filtered, work)
        assert before == {}
        assert self.said(filtered) == {
            "flat": (1, "no"),
            "one": (1, "yes"),
            "two": (1, "yes"),
            "surplus": (1, "no"),
        }
        assert scored == 12
        [line] = (filtered.run / "logs" / "0-rl.jsonl").read_text().splitlines()
        assert json.loads(line)["step"] == 1, "of a step, those that train"

    def test_one_that_comes_again_meanwhile_has_the_rewards_of_the_first_time(self, filtered, scoring):
        async def work(scorer, coordinator):
            first = await asyncio.gather(*(member(scorer, index, PLACE) for index in range(3)))
            successor = ScorerActor(replace(filtered, scorers=2), number=1, coordinator=InThisProcess(coordinator))
            texts = zip(range(3), ("four words in it", "three in it", "one"), strict=True)
            again = await asyncio.gather(*(successor.member(PLACE, i, Completion(text=text)) for i, text in texts))
            await successor.close()
            return first, again

        first, again = scoring(filtered, work)
        assert first == again

    def test_a_coordinator_that_takes_over_knows_them(self, filtered, scoring):
        async def work(scorer, _coordinator):
            await self.score_all(scorer)
            second = Coordinator(filtered)
            await second.trained(1, ["one", "two"])
            third = Coordinator(filtered)
            await third.trained(1, [])
            return self.said(filtered)

        assert [trained for _, trained in scoring(filtered, work).values()] == ["no", "yes", "yes", "no"]

    def test_a_step_that_ends_before_it_trains_is_in_the_ledger(self, filtered, scoring):
        async def work(scorer, _coordinator):
            await self.score_all(scorer)

        scoring(filtered, work)
        assert {*self.said(filtered).values()} == {(1, "no")}

    def test_those_of_a_job_that_was_killed_are_in_the_ledger_of_the_run_that_goes_on(self, filtered, scoring):
        async def killed(scorer, coordinator):
            await self.score_all(scorer)
            await coordinator.trained(1, ["flat", "one"])
            place = replace(PLACE, key="open", step=2)
            await asyncio.gather(*(member(scorer, index, place) for index in range(3)))
            shutil.copytree(filtered.run, filtered.run.with_name("kept"))

        scoring(filtered, killed)
        shutil.rmtree(filtered.run)
        filtered.run.with_name("kept").rename(filtered.run)
        for attempt in (1, 2):  # once, however often the run goes on
            again = replace(filtered, attempt=attempt)
            scoring(again, lambda scorer, coordinator: coordinator.ready())
        rows = [(row["attempt"], row["group"], row["step"], row["trained"]) for row in read_rows(filtered.run)]
        assert rows[::3] == [(0, 0, 1, "yes"), (0, 1, 1, "yes"), (0, 2, 1, "no"), (0, 3, 1, "no"), (0, 4, 2, "no")]

    def test_what_was_recorded_before_the_disk_refused_a_curve_is_there_once(self, filtered, scoring, monkeypatch):
        async def work(scorer, coordinator):
            await self.score_all(scorer)
            with monkeypatch.context() as patch:
                patch.setattr(ScoredStepLog, "add", refuses)
                with pytest.raises(JobError, match="No space left"):
                    await coordinator.trained(1, ["flat", "one"])

        def refuses(*_):
            raise JobError("No space left")

        scoring(filtered, work)
        rows = [(row["group"], row["trained"]) for row in read_rows(filtered.run) if row["index"] == 0]
        assert rows == [(0, "yes"), (1, "no"), (2, "no"), (3, "no")]

    def test_too_many_missing_values_end_the_job_though_no_step_ends(self, filtered, scoring):
        faulty = "short: {use: toy/faulty, with: {how: fail, when: one}, on_missing: 0}"
        filtered.recipe.write_text(
            filtered.recipe.read_text().replace("short: {use: toy/brevity, with: {words: 1}}", faulty)
        )

        async def work(scorer, _coordinator):
            with pytest.raises(JobError, match="has no value for 6 of the last 6 completions"):
                await self.score_all(scorer)

        scoring(filtered, work)
