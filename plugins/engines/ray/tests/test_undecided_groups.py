"""Groups that an engine leaves out by itself wait until it says on which it trains."""

import asyncio
import json
import shutil
from dataclasses import replace
from itertools import chain
from statistics import fmean

import pytest
from helpers.group_members import PLACE, InThisProcess, member
from helpers.recorded_groups import recorded_groups
from rewardlab import Completion
from rewardlab.errors import JobError
from rewardlab_ray.scoring.coordinator import Coordinator
from rewardlab_ray.scoring.scorer_actor import ScorerActor
from rewardlab_ray.scoring.step_log import ScoredStepLog
from rewardlab_testing.backend_laws.ledger import read_rows

pytestmark = pytest.mark.usefixtures("toy")


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

    def test_the_log_has_the_total_of_all_beside_that_of_those_that_train(self, filtered, scoring):
        async def work(scorer, coordinator):
            flat, *places = [replace(PLACE, key=key) for key in self.KEYS]
            same = (scorer.member(flat, index, Completion(text="a b c d e f g")) for index in range(3))
            await asyncio.gather(*same, *(member(scorer, index, place) for place in places for index in range(3)))
            await coordinator.trained(1, ["two", "one"])

        scoring(filtered, work)
        [line] = (filtered.run / "logs" / "0-rl.jsonl").read_text().splitlines()
        totals = {key: [row["total"] for row in rows] for key, rows in recorded_groups(filtered.run).items()}
        logged = json.loads(line)
        assert logged["reward/total"] == pytest.approx(fmean(totals["one"] + totals["two"]))
        assert logged["generated/total"] == pytest.approx(fmean(chain(*totals.values())))
        assert logged["generated/total"] != pytest.approx(logged["reward/total"])

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

    def test_a_recorder_that_is_closed_again_does_nothing(self, filtered, scoring):
        async def work(scorer, coordinator):
            await self.score_all(scorer)
            recorder = (await coordinator._parts()).recorder
            for _ in range(2):
                recorder.close()

        scoring(filtered, work)
        assert [*self.said(filtered).values()] == [(1, "no")] * 4

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
