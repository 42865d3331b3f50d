"""What an actor that scores does with a group, next to a real coordinator in the same process."""

import asyncio
import json
import math
import pickle
from dataclasses import replace

import pytest
from rewardlab import Completion, Sample, Score
from rewardlab.errors import JobError
from rewardlab.scoring.composition import ScoredGroup
from rewardlab_ray.messages import GroupPlace
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.scoring.coordinator import Coordinator
from rewardlab_ray.scoring.rewards import rewards
from rewardlab_ray.scoring.scorer_actor import ScorerActor
from rewardlab_ray.scoring.service_settings import ServiceSettings
from rewardlab_testing.backend_laws.ledger import read_rows

RECIPE = """
version: 1
judges:
  main:
    use: openai/chat
    retries: 0
    with: {model: m, base_url: "URL", max_tokens: 16}
JUDGE
reward:
  components:
    short: {use: toy/brevity, with: {words: 1}}
    judged: {use: pairwise/win_rate, with: {judge: main}, on_missing: group_mean, max_missing: 1}
  total: short + judged
MORE
stages:
- {use: rl, algorithm: grpo, batch_size: 2, group_size: 2, on_truncated: zero}
backend: {use: openrlhf}
"""
SAMPLER = """
from rewardlab import CurriculumSpec, hookimpl

class Longest:
    def more(self, pool):
        return 1
    def select(self, pool, n):
        return sorted(range(len(pool)), key=lambda place: -len(pool[place].completion.text))[:n]

@hookimpl
def rewardlab_curricula():
    build = lambda options, context: Longest()
    return [CurriculumSpec(name="longest", summary="made", most=lambda options, n: n + 2, build=build)]
"""
pytestmark = pytest.mark.usefixtures("toy")


class InThisProcess:
    """Calls an actor's methods on the loop that it was made on."""

    def __init__(self, actor):
        self._actor, self._loop = actor, asyncio.get_running_loop()

    async def call(self, method, *arguments):
        called = asyncio.run_coroutine_threadsafe(getattr(self._actor, method)(*arguments), self._loop)
        return await asyncio.wrap_future(called)


@pytest.fixture
def settings(tmp_path, with_options):
    """Of a stage with this recipe: `settings(server, more="curriculum: ...")`."""

    def make(server, judge="", more="", recipe=RECIPE):
        folder = tmp_path / "run" / "engine" / "0-rl"
        folder.mkdir(parents=True)
        path = tmp_path / "run" / "recipe.resolved.yaml"
        for word, text in {"URL": server.url, "JUDGE": judge, "MORE": more}.items():
            recipe = recipe.replace(word, text)
        path.write_text("\n".join(filter(None, recipe.splitlines())))
        for name in ("samples", "evaluation_samples"):
            samples = [Sample(id=f"{name}{n}", prompt=({"role": "user", "content": f"{n} + 1?"},)) for n in range(30)]
            write_rows(folder / f"{name}.jsonl", (Row(sample=sample, prompt="?") for sample in samples))
        (folder / "order.json").write_text(json.dumps([0, 1]))
        given = {"job": "made", "run": tmp_path / "run", "recipe": path, "stage": 0, "attempt": 0}
        return with_options(ServiceSettings(**given, folder=folder, home=tmp_path, evaluation_rows=2))

    return make


@pytest.fixture
def scoring():
    """Run `work(scorer)` beside a coordinator; both are closed after it."""

    def run(settings, work):
        async def whole():
            coordinator = Coordinator(settings)
            scorer = ScorerActor(settings, coordinator=InThisProcess(coordinator))
            try:
                return await work(scorer)
            finally:
                await scorer.close()
                await coordinator.close()

        return asyncio.run(asyncio.wait_for(whole(), 60))

    return run


@pytest.fixture
def server(judge_server):
    with judge_server.Serving(judge_server.JudgeServer()) as there:
        yield there


def place(row=0, evaluation=False, key="g"):
    return GroupPlace(key=key, row=row, evaluation=evaluation, step=None if evaluation else 1, size=2)


async def score(scorer, where, *texts, truncated=False):
    for index, text in enumerate(texts):
        await scorer.put(where, index, Completion(text=text, token_count=3, truncated=truncated))
    return await scorer.finish(where.key)


class TestAGroup:
    def test_is_scored_recorded_and_forgotten(self, settings, scoring, server):
        given = settings(server)

        async def once(scorer):
            found = await score(scorer, place(), "1", "2 3")
            with pytest.raises(JobError, match="group 'g' is over"):
                await scorer.more("g", 2)
            return found

        found = scoring(given, once)
        assert [log["reward/short"] for log in found.logs] == [1.0, 0.5]
        assert [row["shaped"] for row in list(read_rows(given.run))] == [2.0, 0.5]
        assert found.values == pytest.approx((0.5**0.5, -(0.5**0.5)), abs=1e-3), "of two, one standard deviation apart"
        assert found.correctness is None

    def test_is_of_those_that_are_there_if_the_recipe_says_so(self, settings, scoring, server):
        partial = "backend: {use: openrlhf, engine: {barrier: {on_partial: score}}}"
        recipe = RECIPE.replace("backend: {use: openrlhf}", partial).replace("short + judged", "short")
        given = settings(server, recipe=recipe.replace("group_size: 2", "group_size: 3"))
        where = replace(place(), size=3)

        async def once(scorer):
            for index, text in {0: "1", 2: "2 3"}.items():
                await scorer.put(where, index, Completion(text=text, token_count=3))
            await scorer.member(where, 1, None, "the engine is dead")
            return await scorer.more("g", 2), await scorer.finish("g", 2)

        more, found = scoring(given, once)
        assert more == 0
        assert [log["reward/short"] for log in found.logs] == [1.0, 0.5]
        assert [row["completion"] for row in read_rows(given.run)] == ["1", "2 3"]

    def test_has_the_progress_of_its_prompts_place_in_the_stage(self, settings, scoring, server):
        given = settings(server, recipe=RECIPE.replace("short + judged", "short + progress"))
        (given.folder / "order.json").write_text(json.dumps([0] * 8))

        async def each(scorer):
            for position in (1, 2, 7):
                await score(scorer, replace(place(key=f"{position}"), position=position), "1", "2 3")
            await score(scorer, place(evaluation=True, key="e"), "1", "2 3")

        scoring(given, each)
        found = [(row["progress"], row["total"]) for row in read_rows(given.run) if row["index"] == 0]
        assert sorted(found) == [(0, 1), (0.25, 1.25), (0.75, 1.75), (1, 2)], "the last is of an evaluation"

    def test_whose_rewards_were_lost_on_the_way_gives_them_again_and_is_recorded_once(self, settings, scoring, server):
        given = settings(server)

        async def twice(scorer):
            return await score(scorer, place(), "1", "2 3"), await scorer.finish("g")

        first, again = scoring(given, twice)
        assert again == first
        assert len(list(read_rows(given.run))) == 2

    def test_sends_the_coordinator_its_finished_lines_and_little_else(self, settings, server):
        """It is one process for all scorers, which appends them and makes none."""
        sent = []

        class Noting(InThisProcess):
            async def call(self, method, *arguments):
                if method == "record":
                    sent.append(pickle.dumps(arguments))
                return await super().call(method, *arguments)

        async def whole():
            given = settings(server)
            coordinator = Coordinator(given)
            scorer = ScorerActor(given, coordinator=Noting(coordinator))
            try:
                for evaluation in (False, True):
                    await score(scorer, place(evaluation=evaluation, key=f"{evaluation}"), "word " * 9000, "2 3")
            finally:
                await scorer.close()
                await coordinator.close()
            return list(read_rows(given.run))

        rows = asyncio.run(asyncio.wait_for(whole(), 60))
        assert [len(row["completion"]) for row in rows] == [45_000, 3] * 2
        block = sum(len(json.dumps(row)) for row in rows) / 2
        assert max(map(len, sent)) < block + 2000

    def test_counts_a_completion_once_however_often_it_is_put(self, settings, scoring, server):
        async def twice(scorer):
            await scorer.put(place(), 1, Completion(text="2 3", token_count=3))
            with pytest.raises(JobError, match="slot 1 has another completion already"):
                await scorer.put(place(), 1, Completion(text="another", token_count=3))
            return await score(scorer, place(), "1", "2 3")

        given = settings(server)
        scoring(given, twice)
        assert [row["completion"] for row in list(read_rows(given.run))] == ["1", "2 3"]

    def test_that_was_cut_gets_nothing_in_training_and_its_due_in_an_evaluation(self, settings, scoring, server):
        async def both(scorer):
            trained = await score(scorer, place(), "1", "2 3", truncated=True)
            evaluated = await score(scorer, place(evaluation=True, key="e"), "1", "2 3", truncated=True)
            return trained.values, evaluated.values

        trained, evaluated = scoring(settings(server), both)
        assert trained == (0.0, 0.0)
        assert min(evaluated) >= 0.5

    def test_of_an_evaluation_is_about_an_evaluation_row(self, settings, scoring, server):
        given = settings(server)
        scoring(given, lambda scorer: score(scorer, place(1, evaluation=True), "1", "2 3"))
        assert {(row["id"], row["trained"]) for row in list(read_rows(given.run))} == {("evaluation_samples1", "no")}

    def test_may_be_chosen_from_more_completions_by_the_recipes_sampler(self, settings, scoring, server, offer):
        offer("mine", SAMPLER)

        async def sampled(scorer):
            wanted = []
            for index, text in enumerate(["a", "bbb", "cc", "d"]):
                if index >= 2:
                    wanted.append(await scorer.more("g", index))
                await scorer.put(place(), index, Completion(text=text, token_count=1))
            wanted.append(await scorer.more("g", 4))
            return wanted, await scorer.finish("g")

        given = settings(server, more="curriculum: {use: mine/longest}")
        wanted, found = scoring(given, sampled)
        assert (wanted, found.kept) == ([1, 1, 0], (1, 2))
        assert [(row["completion"], row["trained"], row["total"] is None) for row in read_rows(given.run)] == [
            ("a", "no", True),
            ("d", "no", True),
            ("bbb", "yes", False),
            ("cc", "yes", False),
        ]

    def test_that_a_successor_scores_again_is_in_the_ledger_once_with_what_was_not_chosen(
        self, settings, server, offer
    ):
        offer("mine", SAMPLER)
        given = settings(server, more="curriculum: {use: mine/longest}")

        async def whole():
            coordinator, found = Coordinator(given), []
            try:
                for texts in (
                    ["a", "bbb", "cc", "d"],
                    ["aaaa", "b b b b", "c", "d"],
                ):  # as if a judge said something else
                    scorer = ScorerActor(given, coordinator=InThisProcess(coordinator))
                    for index, text in enumerate(texts):
                        await scorer.put(place(), index, Completion(text=text, token_count=3))
                    found.append(await scorer.finish("g"))
                    await scorer.close()
            finally:
                await coordinator.close()
            return found

        first, again = asyncio.run(asyncio.wait_for(whole(), 60))
        assert again == first, "the engine's rewards are the ledger's"
        found = [(row["group"], row["trained"], row["completion"]) for row in read_rows(given.run)]
        assert found == [(0, "no", "a"), (0, "no", "d"), (1, "yes", "bbb"), (1, "yes", "cc")]

    def test_of_an_evaluation_is_not_chosen_from_more(self, settings, scoring, server, offer):
        offer("mine", SAMPLER)

        async def evaluated(scorer):
            for index, text in enumerate(["a", "bbb"]):
                await scorer.put(place(evaluation=True), index, Completion(text=text, token_count=1))
            return await scorer.more("g", 2), (await scorer.finish("g")).kept

        assert scoring(settings(server, more="curriculum: {use: mine/longest}"), evaluated) == (0, (0, 1))

    def test_of_which_not_everything_is_known_here_is_to_be_put_again(self, settings, scoring, server):
        async def restarted(scorer):
            wanted = [await scorer.more("g", 1)]
            await scorer.put(place(), 1, Completion(text="2"))
            wanted.append(await scorer.more("g", 2))
            assert await scorer.finish("g", 2) is None, "it was restarted between the two calls"
            await scorer.put(place(), 0, Completion(text="1"))
            return [*wanted, await scorer.more("g", 2)], (await scorer.finish("g")).kept

        assert scoring(settings(server), restarted) == ([None, None, 0], (0, 1))


class TestJudges:
    def test_a_complete_groups_time_limit_holds(self, settings, scoring, server):
        server.latency = 2.0
        given = settings(server, judge="    group_timeout: 0.3")
        found = scoring(given, lambda scorer: score(scorer, place(), "1", "2 3"))
        assert [log["missing/judged"] for log in found.logs] == [1.0, 1.0]
        [row, _] = list(read_rows(given.run))
        assert "within 0.3 s" in row["components"]["judged"]["error"]

    @pytest.mark.parametrize("policy", ["group_mean", "fail"])
    def test_a_budget_that_is_used_up_ends_the_job_and_says_so(self, settings, scoring, server, policy):
        recipe = RECIPE.replace("on_missing: group_mean", f"on_missing: {policy}")

        async def end(scorer):
            with pytest.raises(JobError, match=r"^judge 'main': its budget of 100 tokens is less than one question"):
                await score(scorer, place(), "1", "2 3")

        scoring(settings(server, judge="    budget: {tokens: 100}", recipe=recipe), end)

    def test_answers_that_nobody_can_read_end_the_job(self, settings, scoring, server):
        server.answer = lambda request: "I would rather not say."

        async def end(scorer):
            with pytest.raises(JobError, match=r"judge 'main': 26 of its first 26 answers do not have the form"):
                for row in range(30):
                    await score(scorer, place(row, key=f"g{row}"), "1", "2 3")

        scoring(settings(server), end)


class TestGroupsThatDoNotTeach:
    """OpenRLHF drops what the scorer gives a mean of 0: the ledger says what was trained on."""

    @pytest.fixture
    def recorded(self, settings, server):
        """Return the places that the coordinator is told of, of groups of [(place, texts), ...]."""

        def record(*groups):
            places = []

            class Noting(InThisProcess):
                async def call(self, method, *arguments):
                    places.extend([arguments[0]] if method == "record" else [])
                    return await super().call(method, *arguments)

            async def whole():
                given = settings(server, more="  teach: {flat: replace, by: short, between: [0.6, 1]}")
                coordinator = Coordinator(given)
                scorer = ScorerActor(given, coordinator=Noting(coordinator))
                try:
                    for where, texts in groups:
                        await score(scorer, where, *texts)
                finally:
                    await scorer.close()
                    await coordinator.close()

            asyncio.run(asyncio.wait_for(whole(), 60))
            return places

        return record

    def test_what_it_drops_is_marked_and_does_not_train(self, recorded):
        """Of the outcome 1 and 1/2 are within the bounds, 1 and 1 are equal, and 1/2 and 1/3 are too low."""
        groups = [("kept", ("1", "2 3")), ("right", ("1", "2")), ("wrong", ("1 2", "2 3 4"))]
        found = recorded(*((place(key=key), texts) for key, texts in groups))
        marks = [(one.key, one.discarded, one.trains) for one in found]
        assert marks == [("kept", False, True), ("right", True, False), ("wrong", True, False)]

    def test_it_drops_nothing_of_an_evaluation(self, recorded):
        [found] = recorded((place(evaluation=True), ("1", "2")))
        assert not found.discarded


class TestWhatOpenRLHFReceives:
    def group(self, *values, shaped=(0.25, -0.25, 0.0)):
        scores = [Score(value=v, error=None if v is not None else "no luck") for v in values]
        size = len(values)
        return ScoredGroup(
            sample=Sample(id="s"),
            completions=[Completion(text="")] * size,
            components={"right": scores, "other": [Score(info={"reason": "none"})] * size},
            totals=values,
            shaped=shaped,
        )

    def test_has_the_same_names_for_every_sample_and_a_mean_for_what_is_missing(self):
        found = rewards(self.group(1.0, None, 0.5), (0, 1, 2), "right", 5)
        assert found.values == (1.0, 0.75, 0.5), "an evaluation's are its correctness: OpenRLHF's pass rates"
        assert found.correctness == (1.0, 0.75, 0.5)
        assert [log["reward/total"] for log in found.logs] == [1.0, 0.75, 0.5]
        assert [log["missing/right"] for log in found.logs] == [0.0, 1.0, 0.0]
        names = {
            "reward/total",
            "reward/right",
            "reward/other",
            "missing/right",
            "missing/other",
            "group/size",
            "group/sampled",
            "group/std",
            "group/scored",
        }
        assert all(log.keys() == names for log in found.logs)
        assert {(log["group/size"], log["group/sampled"]) for log in found.logs} == {(3.0, 5.0)}
        assert {log["group/std"] for log in found.logs} == {0.25}
        assert [log["group/scored"] for log in found.logs] == [1.0, 0.0, 1.0]
        assert all(math.isnan(log["reward/other"]) and log["missing/other"] == 0.0 for log in found.logs)

    def test_of_an_evaluation_without_correctness_are_totals_and_not_what_a_normalizer_centred(self):
        assert rewards(self.group(1.0, None, 0.5), (0, 1, 2), None, 3).values == (1.0, 0.75, 0.5)
        assert rewards(self.group(None, None, None, shaped=(0.0,) * 3), (0, 1, 2), None, 3).values == (0.0,) * 3

    @pytest.mark.parametrize("algorithm", ["grpo", "dr_grpo", "rloo", "reinforce_baseline"])
    def test_are_advantages_in_training_which_a_missing_value_leaves_alone(self, algorithm):
        with_hole = self.group(1.0, None, 0.5, shaped=(1.0, 0.75, 0.5))
        without = self.group(1.0, 0.5, shaped=(1.0, 0.5))
        found = rewards(with_hole, (0, 1, 2), None, 3, algorithm).values
        alone = rewards(without, (0, 1), None, 2, algorithm).values
        assert found == (alone[0], 0.0, alone[1])
        assert math.fsum(found) == pytest.approx(0.0)

    def test_are_what_a_normalizer_made_less_the_mean_of_a_pool(self):
        group = replace(self.group(1.0, 0.0, None, shaped=(3.0, -1.0, 1.0)), centred=True)
        found = rewards(group, (0, 1, 2), None, 3, "dr_grpo")
        assert (found.values, found.lost) == ((3.0, -1.0, 0.0), 0.0)

    def test_are_shaped_rewards_for_a_critic(self):
        found = rewards(self.group(1.0, 0.5, 0.0, shaped=(0.5, -0.25, 0.5)), (0, 1, 2), None, 3, "ppo")
        assert (found.values, found.lost) == ((0.5, -0.25, 0.5), 0.25)

    def test_are_nothing_that_nobody_gave_for_a_critic(self):
        """A group in which a component failed for all would get rewards of 0."""
        with pytest.raises(JobError, match=r"sample 's': 3 of its completions have no reward.*ppo can leave none out"):
            rewards(self.group(None, None, None, shaped=(0.0,) * 3), (0, 1, 2), None, 3, "ppo")

    def test_is_wrong_where_nobody_knows_whether_it_is_right(self):
        assert rewards(self.group(None, None, None), (0, 1, 2), "right", 5).correctness == (0.0, 0.0, 0.0)

    def test_is_finite_or_nothing(self):
        with pytest.raises(JobError, match="sample 's': its rewards are not finite"):
            rewards(self.group(1.0, 1.0, 1.0, shaped=(0.0, math.nan, 0.0)), (0, 1, 2), None, 3)
