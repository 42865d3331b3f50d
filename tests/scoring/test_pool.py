"""Pools: completions that a trainer puts one by one, and the group that a curriculum's sampler chooses from them."""

import asyncio
import random
import statistics
import threading
from dataclasses import replace

import pytest
from helpers.each_case import each_case
from hypothesis import given, settings
from hypothesis import strategies as st
from rewardlab import Completion, CurriculumSpec, JudgeSpec, NormalizerSpec, Reply, Sample, Score
from rewardlab.errors import JobError
from rewardlab.plan import make_plan
from rewardlab.plan.component import Component
from rewardlab.recipe.loading import load
from rewardlab.recipe.use import Use
from rewardlab.scoring.scorer import Scorer
from rewardlab.types import Ask

ENDLESS = 3600
SAMPLE = Sample(id="s1", source="rows.jsonl:3")


class Greedy:
    """A group sampler that wants `rounds` completions one after the other, and keeps the longest texts."""

    def __init__(self, *rounds):
        self.rounds = list(rounds)
        self.seen = []

    def more(self, pool):
        self.seen.append(pool)
        return self.rounds.pop(0) if self.rounds else 0

    def select(self, pool, n):
        self.seen.append(pool)
        return sorted(range(len(pool)), key=lambda index: -len(pool[index].completion.text))[:n]


def sampled(plan, sampler, most=lambda options, size: 100):
    """The plan with a sampler that collects."""
    build = sampler if callable(sampler) else lambda options, context: sampler
    spec = CurriculumSpec(name="greedy", summary="made", build=build, most=most)
    return replace(plan, sampler=Component(use=Use(use="test/greedy"), spec=spec, options=spec.config()))


def lengths(items):
    return [Score(value=float(len(c.text))) for _, c in items]


class Longest:
    """Group scope: the share of the group's longest text; keeps the groups that it saw."""

    def __init__(self):
        self.groups = []

    async def __call__(self, stream):
        arrived = [(index, completion) async for index, completion in stream]
        texts = [completion.text for _, completion in sorted(arrived, key=lambda one: one[0])]
        self.groups.append(texts)
        return [Score(value=len(text) / 10) for text in texts]


def texts_of(*texts):
    return [Completion(text=text) for text in texts]


def collect(scorer, texts, size, first=None, more=True, **settings):
    """What a trainer does with a pool: (the pooled group, how many further completions were asked for)."""
    texts, asked = list(texts), []

    async def work():
        pool = scorer.collect(SAMPLE, size, **{"sampled": True, **settings})
        put = 0
        wanted = first or size
        while wanted:
            for index in range(put, put + wanted):
                pool.put(index, Completion(text=texts[index]))
            put += wanted
            wanted = await pool.more() if more else 0
            asked.append(wanted)
        return await pool.scored()

    return asyncio.run(asyncio.wait_for(work(), 20)), asked


def scored_texts(pooled):
    return [completion.text for completion in pooled.group.completions]


@pytest.fixture(scope="session")
def sized(reward):
    """A reward of completion scope: the length of the text."""
    return lambda **more: reward(lengths, range=(0, 1000), **more)


# --- without a sampler ---


def test_without_a_sampler_a_pool_is_its_group(plan_of, sized, group_of):
    with Scorer(plan_of({"a": sized()})) as scorer:
        pooled, asked = collect(scorer, ["x", "yy", "zzz"], 3)
        [whole] = scorer.score_groups([group_of("x", "yy", "zzz", id="s1")])
    assert asked == [0]
    assert pooled.kept == (0, 1, 2)
    assert pooled.group == replace(whole, sample=SAMPLE)


def test_then_group_rewards_see_completions_as_they_arrive(plan_of, reward):
    seen = threading.Event()

    async def score(stream):
        async for _ in stream:
            seen.set()
        return [Score(value=0.5)] * stream.size

    async def work(scorer):
        pool = scorer.collect(SAMPLE, 2, sampled=True)
        pool.put(1, Completion(text="b"))
        assert await asyncio.to_thread(seen.wait, 5)  # before the second one is there
        assert await pool.more() == 0
        pool.put(0, Completion(text="a"))
        return await pool.scored()

    with Scorer(plan_of({"a": reward(score, scope="group", runs="async")})) as scorer:
        assert scored_texts(asyncio.run(work(scorer))) == ["a", "b"]


def test_a_sampler_does_not_choose_where_it_is_not_to(plan_of, sized):
    sampler = Greedy(5)
    with Scorer(sampled(plan_of({"a": sized()}), sampler)) as scorer:
        pooled, asked = collect(scorer, ["x", "yy"], 2, sampled=False)
    assert (pooled.kept, asked, sampler.seen) == ((0, 1), [0], [])


# --- with one ---


def test_a_sampler_collects_rounds_and_chooses(plan_of, sized):
    sampler = Greedy(2, 1)
    with Scorer(sampled(plan_of({"a": sized()}), sampler)) as scorer:
        pooled, asked = collect(scorer, ["x", "yyyy", "zz", "vvvvv", "w"], 2)
    assert asked == [2, 1, 0]
    assert pooled.kept == (3, 1)
    assert scored_texts(pooled) == ["vvvvv", "yyyy"]
    assert pooled.group.totals == pooled.group.shaped == [5.0, 4.0]
    left = pooled.discarded
    assert [(c.text, s.value) for c, s in zip(left.completions, left.components["a"], strict=True)] == [
        ("x", 1.0),
        ("zz", 2.0),
        ("w", 1.0),
    ]
    assert (left.totals, left.shaped) == ([None] * 3, ()), "nobody has composed them"
    assert pooled.group.sample is SAMPLE


def test_it_sees_the_sample_the_size_and_what_single_completions_are_worth(plan_of, reward, sized):
    def faulty(items):
        raise ValueError("no luck")

    sampler = Greedy()
    components = {
        "alone": sized(),
        "batch": sized(scope="batch"),
        "failing": reward(faulty),
        "group": reward(Longest(), scope="group", runs="async"),
    }
    with Scorer(sampled(plan_of(components, "alone + group"), sampler)) as scorer:
        collect(scorer, ["x", "yy"], 2)
    asked, selecting = sampler.seen
    assert (asked.sample, asked.size, len(asked)) == (SAMPLE, 2, 2)
    assert [entry.completion.text for entry in selecting] == ["x", "yy"]
    assert [sorted(entry.scores) for entry in asked] == [["alone", "batch", "failing"]] * 2
    assert [entry.scores["alone"].value for entry in asked] == [1.0, 2.0]
    assert asked[1].scores["failing"].value is None
    assert asked[1].scores["failing"].error.startswith("ValueError: no luck")
    with pytest.raises(AttributeError):
        asked[0].scores = {}


def test_each_completion_is_scored_once_and_group_rewards_see_the_chosen_alone(plan_of, reward):
    asked, longest = [], Longest()

    def score(items):
        asked.extend(c.text for _, c in items)
        return lengths(items)

    components = {
        "alone": reward(score, range=(0, 100)),
        "group": reward(longest, scope="group", runs="thread"),
    }
    with Scorer(sampled(plan_of(components), Greedy(2))) as scorer:
        pooled, _ = collect(scorer, ["x", "yyyy", "zz", "vvvvv"], 2)
    assert sorted(asked) == ["vvvvv", "x", "yyyy", "zz"]
    assert longest.groups == [["vvvvv", "yyyy"]]
    assert list(pooled.group.components) == ["alone", "group"]
    assert [score.value for score in pooled.group.components["group"]] == [0.5, 0.4]
    assert pooled.group.totals == [5.5, 4.4]


def test_completions_are_scored_as_they_arrive(plan_of, reward):
    scored = threading.Event()

    def score(items):
        scored.set()
        return lengths(items)

    async def work(scorer):
        pool = scorer.collect(SAMPLE, 2, sampled=True)
        pool.put(0, Completion(text="a"))
        assert await asyncio.to_thread(scored.wait, 5)
        pool.drop()

    with Scorer(sampled(plan_of({"a": reward(score, range=(0, 9))}), Greedy())) as scorer:
        asyncio.run(work(scorer))


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_neither_the_order_of_arrival_nor_the_thread_matters(plan_of, sized, seed):
    texts = ["x" * length for length in range(1, 9)]
    order = list(range(8))
    random.Random(seed).shuffle(order)

    async def work(scorer):
        pool = scorer.collect(SAMPLE, 3, sampled=True)
        threads = [threading.Thread(target=pool.put, args=(i, Completion(text=texts[i]))) for i in order]
        for thread in threads:
            thread.start()
        await asyncio.to_thread(lambda: [thread.join() for thread in threads])
        return await pool.scored()

    sampler = Greedy()
    with Scorer(sampled(plan_of({"a": sized(runs="thread")}), sampler)) as scorer:
        pooled = asyncio.run(work(scorer))
    assert pooled.kept == (7, 6, 5)
    assert [entry.completion.text for entry in sampler.seen[0]] == texts


def test_more_waits_for_the_group_and_for_its_scores(plan_of, reward):
    go_on = threading.Event()

    def slow(items):
        go_on.wait(60)
        return lengths(items)

    async def work(scorer):
        pool = scorer.collect(SAMPLE, 2, sampled=True)
        asking = asyncio.create_task(pool.more())
        pool.put(0, Completion(text="a"))
        await asyncio.sleep(0.05)
        assert not asking.done()
        pool.put(1, Completion(text="b"))
        await asyncio.sleep(0.05)
        assert not asking.done()
        go_on.set()
        assert await asyncio.wait_for(asking, 60) == 3

    with Scorer(sampled(plan_of({"a": reward(slow, runs="thread", range=(0, 9))}), Greedy(3))) as scorer:
        asyncio.run(work(scorer))


def test_it_gets_no_more_than_the_most_that_it_may_collect(plan_of, sized):
    def most(options, size):
        return 2 * size + 1

    with Scorer(sampled(plan_of({"a": sized()}), Greedy(4, 4), most=most)) as scorer:
        assert collect(scorer, "abcdefg", 3)[1] == [4, 0]


def test_the_most_is_never_less_than_the_group(plan_of, sized):
    with Scorer(sampled(plan_of({"a": sized()}), Greedy(4), most=lambda options, size: 1)) as scorer:
        assert collect(scorer, "abc", 3)[1] == [0]


@pytest.mark.parametrize("sampler", [None, Greedy()])
def test_a_completion_has_one_place(plan_of, sized, sampler):
    plan = plan_of({"a": sized()})

    async def work(scorer):
        pool = scorer.collect(SAMPLE, 2, sampled=True)
        pool.put(0, Completion(text="a"))
        with pytest.raises(ValueError, match="completion 0 of sample 's1' arrived twice"):
            pool.put(0, Completion(text="a"))
        for index in (-1, 3):
            with pytest.raises(IndexError, match=f"index {index} in a (group|pool)"):
                pool.put(index, Completion(text="b"))
        pool.drop()

    with Scorer(plan if sampler is None else sampled(plan, sampler, most=lambda o, n: 3)) as scorer:
        asyncio.run(work(scorer))


def test_indices_may_have_gaps(plan_of, sized):
    async def work(scorer):
        pool = scorer.collect(SAMPLE, 2, sampled=True)
        for index, text in {9: "yyy", 4: "x", 7: "zz"}.items():
            pool.put(index, Completion(text=text))
        return await pool.scored()

    with Scorer(sampled(plan_of({"a": sized()}), Greedy())) as scorer:
        assert asyncio.run(work(scorer)).kept == (9, 7)


def test_a_sampler_is_built_once_with_the_recipes_seed(plan_of, sized):
    seeds = []

    def build(options, context):
        seeds.append(context.seed)
        return Greedy()

    with Scorer(sampled(plan_of({"a": sized()}, seed=7), build)) as scorer:
        collect(scorer, "ab", 2)
        collect(scorer, "ab", 2)
    assert seeds == [7]


QUADRANTS = """
from rewardlab import Config, RewardSpec, Score, hookimpl

class Options(Config):
    letter: str

def build(options, context):
    class Made:
        def score(self, items):
            return [Score(value=float(options.letter in c.text)) for _, c in items]

    return Made()

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="has", summary="made", runs="inline", config=Options, build=build)]
"""


def test_a_recipe_trains_on_a_balanced_group_by_the_moments_of_all_that_was_sampled(offer, write):
    offer("letters", QUADRANTS)
    recipe = """
        version: 1
        sampler: {use: curriculum/balanced, with: {reasoning: thinking, answer: right, round: 4, cap: 12}}
        reward:
          components:
            thinking: {use: letters/has, with: {letter: t}}
            right: {use: letters/has, with: {letter: r}}
          total: thinking + 2 * right
          normalize: [normalize/std]
    """
    texts = ["t 0", "t 1", "- 2", "t 3", "tr 4", "t 5", "t 6", "t 7", "never asked for"]
    with Scorer(make_plan(load(write("r.yaml", recipe)), purpose="score")) as scorer:
        pooled, asked = collect(scorer, texts, 4)
    assert asked == [4, 0]
    assert pooled.kept[:2] == (4, 2)  # both right, and neither
    pool = [1, 1, 0, 1, 3, 1, 1, 1]
    mean, spread = statistics.fmean(pool), statistics.pstdev(pool)
    assert pooled.group.totals == [pool[index] for index in pooled.kept]
    assert pooled.group.shaped == pytest.approx([(pool[index] - mean) / spread for index in pooled.kept], rel=1e-5)


# --- what a sampler does wrong ---


class Wrong(Greedy):
    def __init__(self, more=0, select=(0, 1)):
        super().__init__()
        self.answers = more, select

    def more(self, pool):
        return self.answers[0]() if callable(self.answers[0]) else self.answers[0]

    def select(self, pool, n):
        return self.answers[1]() if callable(self.answers[1]) else self.answers[1]


def leave():
    raise SystemExit(3)


def long_error():
    raise ValueError("very " * 1000 + "long")


@each_case(
    "wrong, told",
    [
        ({"more": -1}, "more gave -1, not a whole number"),
        ({"more": True}, "more gave True, not a whole number"),
        ({"more": 1.5}, r"more gave 1\.5, not a whole number"),
        ({"more": lambda: {}["x"]}, "KeyError: 'x'"),
        ({"more": leave}, "SystemExit: 3"),
        ({"select": [0, 0]}, r"select gave \[0, 0\]; it must give 2 different indices below 2"),
        ({"select": [0]}, r"select gave \[0\]; it must give 2 different"),
        ({"select": [0, 1, 1]}, r"select gave \[0, 1, 1\]; it must give 2 different"),
        ({"select": [0, 2]}, r"select gave \[0, 2\]"),
        ({"select": [-1, 0]}, r"select gave \[-1, 0\]"),
        ({"select": [0, True]}, r"select gave \[0, True\]"),
        ({"select": None}, "TypeError: 'NoneType' object is not iterable"),
        ({"select": lambda: 1 / 0}, "ZeroDivisionError"),
        ({"select": long_error}, "ValueError: very very .{0,300}$"),
    ],
)
def test_what_it_does_wrong_is_named_with_the_curriculum_and_the_sample(plan_of, sized, wrong, told):
    plan = sampled(plan_of({"a": sized()}), Wrong(**wrong))
    where = r"sampler test/greedy on sample 's1' \(rows.jsonl:3\): "
    with Scorer(plan) as scorer, pytest.raises(JobError, match=where + told):
        collect(scorer, "ab", 2)


@pytest.mark.parametrize("part", ["more", "select"])
def test_one_without_both_parts_is_refused(plan_of, sized, part):
    half = type("Half", (), {part: lambda *arguments: 0})()
    missing = {"more": "select", "select": "more"}[part]
    with pytest.raises(JobError, match=f"sampler test/greedy could not be built: .* Half without `{missing}`"):
        Scorer(sampled(plan_of({"a": sized()}), half))


def test_what_it_may_collect_is_asked_with_its_name(plan_of, sized):
    plan = sampled(plan_of({"a": sized()}), Greedy(), most=lambda options, size: 1 // 0)
    with Scorer(plan) as scorer, pytest.raises(JobError, match="test/greedy cannot say how many it may collect"):
        scorer.collect(SAMPLE, 2, sampled=True)


# --- totals and normalizers ---


class Noting:
    """A normalizer that gives what it gets; keeps what it was given."""

    def __init__(self):
        self.given = []
        self.seeds = []

    def shape(self, totals, tokens, kept, seed):
        self.given.append((list(totals), list(kept)))
        self.seeds.append(seed)
        return [totals[index] for index in kept]


def noting(normalizer):
    return NormalizerSpec(name="noting", summary="made", build=lambda options, context: normalizer)


def test_normalizers_go_by_the_pool_where_every_total_is_known(plan_of, sized):
    normalizer = Noting()
    plan = plan_of({"a": sized(), "b": sized(scope="batch")}, normalizers=[noting(normalizer)])
    with Scorer(sampled(plan, Greedy(2))) as scorer:
        pooled, _ = collect(scorer, ["x", "yyyy", "zz", "vvvvv"], 2)
    assert normalizer.given == [([2.0, 8.0, 4.0, 10.0], [3, 1])]
    assert pooled.group.shaped == pooled.group.totals == [10.0, 8.0]


def test_their_seed_is_that_of_the_recipe_and_the_sample(plan_of, sized):
    normalizer = Noting()
    for seed in (0, 7):
        plan = plan_of({"a": sized()}, normalizers=[noting(normalizer)], seed=seed)
        for one in (plan, sampled(plan, Greedy())):
            with Scorer(one) as scorer:
                collect(scorer, "ab", 2)
    first, first_sampled, other, other_sampled = normalizer.seeds
    assert first == first_sampled != other == other_sampled


def test_and_by_the_group_where_the_total_needs_one(plan_of, reward, sized):
    normalizer = Noting()
    components = {"a": sized(), "b": reward(Longest(), scope="group", runs="async")}
    with Scorer(sampled(plan_of(components, normalizers=[noting(normalizer)]), Greedy(2))) as scorer:
        collect(scorer, ["x", "yyyy", "zz", "vvvvv"], 2)
    assert normalizer.given == [([5.5, 4.4], [0, 1])]


def test_a_group_reward_that_the_total_does_not_name_changes_neither(plan_of, reward, sized):
    normalizer = Noting()
    components = {"a": sized(), "logged": reward(Longest(), scope="group", runs="async")}
    with Scorer(sampled(plan_of(components, "a", normalizers=[noting(normalizer)]), Greedy(2))) as scorer:
        pooled, _ = collect(scorer, ["x", "yyyy", "zz", "vvvvv"], 2)
    assert normalizer.given == [([1.0, 4.0, 2.0, 5.0], [3, 1])]
    assert [score.value for score in pooled.group.components["logged"]] == [0.5, 0.4]


def test_a_stage_that_zeroes_truncated_completions_does_so_here(plan_of, sized):
    async def work(scorer, evaluation):
        pool = scorer.collect(SAMPLE, 2, evaluation=evaluation, sampled=True)
        pool.put(0, Completion(text="x", truncated=True))
        pool.put(1, Completion(text="y"))
        return (await pool.scored()).group.totals

    for plan in (plan_of({"a": sized()}), sampled(plan_of({"a": sized()}), Greedy())):
        with Scorer(plan, zero_truncated=True) as scorer:
            assert asyncio.run(work(scorer, False)) == [0.0, 1.0]
            assert asyncio.run(work(scorer, True)) == [1.0, 1.0]


# --- ends ---


def test_a_failed_component_ends_the_job_and_what_is_under_way(plan_of, reward):
    endless, cancelled = threading.Event(), threading.Event()

    async def score(items):
        if items[0][1].text == "bad":
            await asyncio.to_thread(endless.wait, 5)
            raise JobError("the budget of judge 'main' is used up")
        try:
            endless.set()
            await asyncio.sleep(ENDLESS)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    plan = sampled(plan_of({"a": reward(score, runs="async")}), Greedy())
    with Scorer(plan) as scorer:
        with pytest.raises(JobError, match="is used up"):
            collect(scorer, ["slow", "bad"], 2)
        assert cancelled.wait(60)


@each_case(
    "collects, scope, waits",
    [
        (False, "completion", False),
        (False, "group", True),
        (True, "completion", False),
        (True, "completion", True),
        (True, "group", True),
    ],
)
def test_a_pool_that_is_dropped_ends_what_is_under_way(plan_of, reward, collects, scope, waits):
    asked, cancelled = threading.Event(), threading.Event()

    async def score(items):
        try:
            asked.set()
            await asyncio.sleep(ENDLESS)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def work(scorer):
        pool = scorer.collect(SAMPLE, 1, sampled=True)
        pool.put(0, Completion(text="a"))
        waiting = asyncio.create_task(pool.scored()) if waits else None
        assert await asyncio.to_thread(asked.wait, 60)
        pool.drop()
        pool.drop()
        assert await asyncio.to_thread(cancelled.wait, 60)
        if waiting is not None:
            await asyncio.wait([waiting], timeout=60)
            assert waiting.cancelled()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(pool.scored(), 60)

    plan = plan_of({"a": reward(score, runs="async", scope=scope)})
    with Scorer(sampled(plan, Greedy()) if collects else plan) as scorer:
        asyncio.run(work(scorer))


def test_a_pool_that_was_dropped_scores_nothing_more(plan_of, reward):
    asked = []

    def score(items):
        asked.extend(c.text for _, c in items)
        return lengths(items)

    async def work(scorer):
        pool = scorer.collect(SAMPLE, 2, sampled=True)
        pool.put(0, Completion(text="before"))
        await asyncio.sleep(0.05)
        waiting = asyncio.create_task(pool.scored())
        await asyncio.sleep(0.05)
        pool.drop()
        pool.put(1, Completion(text="after"))
        await asyncio.wait([waiting], timeout=60)
        assert waiting.cancelled()

    with Scorer(sampled(plan_of({"a": reward(score, range=(0, 9))}), Greedy())) as scorer:
        asyncio.run(work(scorer))
    assert asked == ["before"]


@pytest.mark.parametrize("scope", ["completion", "group"])
@pytest.mark.parametrize("collects", [False, True])
def test_the_time_for_scoring_is_limited(plan_of, reward, sized, scope, collects):
    async def endless(items):
        await asyncio.sleep(ENDLESS)

    plan = plan_of({"a": sized(), "slow": reward(endless, scope=scope, runs="async")})
    told = r"scoring sample 's1' \(rows.jsonl:3\) took longer than 0.1 s; no answer yet from: slow \(test/made\)$"
    with Scorer(sampled(plan, Greedy()) if collects else plan) as scorer, pytest.raises(JobError, match=told):
        collect(scorer, "ab", 2, timeout=0.1)


@pytest.mark.parametrize("collects", [False, True])
def test_a_judge_that_must_end_the_job_does_so_whatever_the_policies_say(plan_of, reward, collects):
    def build(options, context):
        async def score(items):
            asks = [Ask(messages=[{"role": "user", "content": c.text}]) for _, c in items]
            replies = [await context.judges["main"].ask(ask) for ask in asks]
            return [Score(error=reply.error) for reply in replies]

        return type("Made", (), {"score": staticmethod(score)})

    judge = JudgeSpec(name="chat", summary="made", build=lambda *_: Judge(), most_tokens=lambda options: 9)
    plan = plan_of(
        {"a": reward(None, build=build, runs="async")},
        policies={"a": {"on_missing": 0}},
        judges={"main": (judge, {"budget": {"tokens": 1}})},
    )
    ends = pytest.raises(JobError, match=r"judge 'main'.*budget")
    with Scorer(sampled(plan, Greedy()) if collects else plan) as scorer, ends:
        collect(scorer, "ab", 2)


class Judge:
    """One whose answers are too long for its budget."""

    async def ask(self, ask):
        raise AssertionError("the budget does not bear it")


@pytest.mark.slow
def test_the_time_between_completions_is_not_that_of_scoring(plan_of, sized):
    async def work(scorer):
        pool = scorer.collect(SAMPLE, 2, timeout=2, sampled=True)
        pool.put(0, Completion(text="a"))
        await asyncio.sleep(2.2)
        pool.put(1, Completion(text="b"))
        return await pool.scored()

    for plan in (plan_of({"a": sized()}), sampled(plan_of({"a": sized()}), Greedy())):
        with Scorer(plan) as scorer:
            assert asyncio.run(work(scorer)).group.totals == [1.0, 1.0]


# --- judges ---


def test_judges_of_another_process_are_asked_with_the_group_of_the_question(plan_of, reward):
    from rewardlab.judging.group_deadline import GROUP_CLOCK

    class Elsewhere:
        def __init__(self):
            self.asked = []

        async def ask(self, ask):
            self.asked.append((ask.messages[0]["content"], GROUP_CLOCK.get().sample_id))
            return Reply(text="1")

    def build(options, context):
        async def score(items):
            replies = [await context.judges["main"].ask(Ask(messages=[{"content": c.text}])) for _, c in items]
            return [Score(value=float(reply.text)) for reply in replies]

        return type("Made", (), {"score": staticmethod(score)})

    def never(options, context):
        raise AssertionError("it is built elsewhere")

    judge = JudgeSpec(name="chat", summary="made", build=never)
    plan = plan_of({"a": reward(None, build=build, runs="async")}, judges={"main": (judge, {})})
    elsewhere = Elsewhere()
    with Scorer(sampled(plan, Greedy(1)), judges={"main": elsewhere}) as scorer:
        collect(scorer, "abc", 2)
    assert sorted(elsewhere.asked) == [("a", "s1"), ("b", "s1"), ("c", "s1")]
