"""Scoring groups by a whole recipe: every way of running a reward, in any company; nothing is left behind."""

import asyncio
import os
import signal
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.each_case import each_case
from helpers.give_up import give_up
from hypothesis import given, settings
from hypothesis import strategies as st
from rewardlab import Ask, Completion, Config, GroupStream, JudgeSpec, NormalizerSpec, Reply, Score
from rewardlab.errors import JobError, UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scoring.component_executors import Machine
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.scorer import Scorer

EVERY_WAY = """
version: 1
judges:
  main: {use: toy/polite}
reward:
  components:
    inline: {use: toy/brevity, with: {words: 2}}
    thread: {use: toy/thread, with: {words: 2}}
    worker: {use: toy/worker, with: {words: 2}, workers: 1}
    batch: {use: toy/batch, with: {words: 2}}
    coroutine: {use: toy/letters}
    model: {use: toy/model, with: {words: 2}}
    group: {use: toy/longest}
    judged: {use: toy/prefer, with: {judge: main}}
    faulty: {use: toy/faulty, on_missing: zero_advantage}
    faulty_worker: {use: toy/faulty_worker, workers: 1, on_missing: group_mean}
  total: inline + thread + worker + batch + coroutine + model + group + judged + faulty + faulty_worker
"""
ITEM_WISE = ["inline", "thread", "worker", "batch", "model", "coroutine", "judged", "faulty", "faulty_worker"]
ENDLESS = 3600

texts = st.sampled_from(["", "a", "12", "BAD", "please", "one two three", "please be BAD", "ünï cödé!"])
groups = st.lists(texts, min_size=1, max_size=5)


@pytest.fixture(scope="module")
def every_way(toy_path, tmp_path_factory):
    """A scorer with a reward of each kind that there is."""
    recipe = tmp_path_factory.mktemp("recipes") / "r.yaml"
    recipe.write_text(EVERY_WAY)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(toy_path)
        with Scorer(make_plan(load(recipe), purpose="score")) as scorer:
            yield scorer


@pytest.fixture
def nothing_is_left():
    """No thread and no process of a scorer outlives it."""
    processes, threads = children(), set(threading.enumerate())
    yield
    assert children() == processes
    for thread in set(threading.enumerate()) - threads:
        thread.join(60)  # a timer of the test
        assert not thread.is_alive(), thread


def children() -> set[int]:
    """Ids of this process's children, without those that have ended."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = place.read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(parent) == os.getpid() and state != "Z":
            found.add(int(place.parent.name))
    return found


def values(scored: ScoredGroup, names=None):
    return {name: [s.value for s in scored.components[name]] for name in names or scored.components}


def halves(items):
    return [Score(value=0.5) for _ in items]


def interrupt_soon(seconds=0.1):
    """Ctrl-C, as the terminal would send it to this thread."""
    main = threading.get_ident()
    threading.Timer(seconds, signal.pthread_kill, (main, signal.SIGINT)).start()


# --- the same scores in any company ---


@given(groups, st.data())
def test_permuting_a_group_permutes_its_scores(every_way, group_of, group, data):
    order = data.draw(st.permutations(range(len(group))))
    before, after = every_way.score_groups([group_of(*group), group_of(*(group[i] for i in order))])
    assert values(after) == {name: [column[i] for i in order] for name, column in values(before).items()}
    assert after.totals == pytest.approx([before.totals[i] for i in order])
    assert after.shaped == pytest.approx([before.shaped[i] for i in order])


@settings(max_examples=15)
@given(st.lists(groups, min_size=1, max_size=6))
def test_neighbours_do_not_matter(every_way, group_of, batch):
    """Neither groups that are scored at the same time nor, but for group scope, the others of the group."""
    batch = [group_of(*group, id=str(number)) for number, group in enumerate(batch)]
    together = every_way.score_groups(batch)
    assert [scored.sample.id for scored in together] == [group.sample.id for group in batch]
    for group, scored in zip(batch, together, strict=True):
        [alone] = every_way.score_groups([group])
        assert (values(alone), alone.totals, alone.shaped) == (values(scored), scored.totals, scored.shaped)
        for index, completion in enumerate(group.completions):
            [single] = every_way.score_groups([group_of(completion)])
            for name in ITEM_WISE:
                assert single.components[name][0].value == scored.components[name][index].value


@settings(max_examples=15)
@given(groups, st.data())
def test_completions_may_arrive_in_any_order(every_way, group_of, texts, data):
    group = group_of(*texts)
    order = data.draw(st.permutations(range(len(texts))))

    async def arriving():
        stream = GroupStream(group.sample, len(order))
        scoring = asyncio.create_task(every_way.score(stream))
        for index in order:
            stream.put(index, group.completions[index])
            await asyncio.sleep(0)
        return await scoring

    [whole] = every_way.score_groups([group])
    assert asyncio.run(arriving()) == every_way.submit(group).result(60) == whole


def test_every_way_gives_what_the_reward_says(every_way, group_of):
    [scored] = every_way.score_groups([group_of("one two three four", "please BAD", "ok")])
    brief, rest = [0.5, 1.0, 1.0], values(scored, ITEM_WISE[5:])
    assert values(scored, ITEM_WISE[:5]) == dict.fromkeys(ITEM_WISE[:5], brief)
    assert values(scored, ["group"]) == {"group": [1.0, 0.0, 0.0]}
    assert rest == {
        "coroutine": [15 / 18, 9 / 10, 1.0],
        "judged": [0.0, 1.0, 0.0],
        "faulty": [0.5, None, 0.5],
        "faulty_worker": [0.5, None, 0.5],
    }
    for name in ("faulty", "faulty_worker"):
        error = scored.components[name][1].error
        assert error.startswith("ValueError: the toy was told to raise (at ")
        assert "rewards.py:" in error
    assert scored.totals == [pytest.approx(5 * 0.5 + 15 / 18 + 1 + 0 + 0.5 + 0.5), None, pytest.approx(7.0)]
    assert scored.shaped[1] == pytest.approx((scored.totals[0] + scored.totals[2]) / 2)


def test_no_groups_have_no_scores(every_way):
    assert every_way.score_groups([]) == []


def test_a_group_without_completions_is_refused(every_way, group_of, recwarn):
    with pytest.raises(ValueError, match="at least one completion"):
        every_way.score_groups([group_of("a"), group_of()])
    assert not recwarn.list


def test_scorers_do_not_know_of_each_other(plan_of, reward, group_of):
    def by(factor, runs):
        score = lambda items: [Score(value=len(c.text) * factor) for _, c in items]  # noqa: E731
        return plan_of({"a": reward(score, runs=runs, range=(0, 99))})

    batches = [[group_of("x" * n, "y", id=str(n)) for n in range(20)] for _ in range(4)]
    with Scorer(by(1, "thread")) as one, Scorer(by(2, "inline")) as two, ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda scorer, batch: scorer.score_groups(batch), [one, two] * 2, batches))
    for scored, factor in zip(found, [1, 2, 1, 2], strict=True):
        assert [group.totals for group in scored] == [[n * factor, factor] for n in range(20)]


def test_normalizers_of_the_recipe_shape_the_totals(plan_of, reward, group_of):
    class Negative:
        def shape(self, totals, tokens, kept, seed):
            return [-total for total in totals]

    spec = NormalizerSpec(name="negative", summary="made", build=lambda options, context: Negative())
    with Scorer(plan_of({"a": reward(halves)}, normalizers=[spec])) as scorer:
        [scored] = scorer.score_groups([group_of("x", "y")])
    assert (scored.totals, scored.shaped) == ([0.5, 0.5], [-0.5, -0.5])


# --- failures ---


def faulty(items):
    raise ValueError("out of order")


def test_a_failure_names_component_plugin_sample_and_completion(plan_of, reward, group_of):
    def score(items):
        return [Score(value=float("nan") if c.text == "bad" else 0.5) for _, c in items]

    told = (
        r"component 'quality' \(test/made\) failed on sample 's1' \(rows.jsonl:3\), completion 1: "
        r"value nan is not finite"
    )
    with Scorer(plan_of({"quality": reward(score)})) as scorer, pytest.raises(JobError, match=told):
        scorer.score_groups([group_of("a", "bad", source="rows.jsonl:3")])


@pytest.mark.parametrize("runs", ["inline", "thread", "async"])
@pytest.mark.parametrize("scope", ["completion", "batch", "group"])
def test_a_component_that_the_total_does_not_name_cannot_stop_a_job(plan_of, reward, group_of, runs, scope):
    plan = plan_of({"a": reward(halves), "logged": reward(faulty, runs=runs, scope=scope)}, total="a")
    with Scorer(plan) as scorer:
        [scored] = scorer.score_groups([group_of("x", "y")])
    assert scored.totals == [0.5, 0.5]
    for score in scored.components["logged"]:
        assert score.error.startswith("ValueError: out of order (at test_scorer.py:")


@pytest.mark.slow
def test_nor_can_one_whose_process_dies(toy, write, group_of, nothing_is_left):
    recipe = """
        version: 1
        reward:
          components:
            a: {use: toy/brevity}
            logged: {use: toy/faulty_worker, with: {how: exit}, workers: 1}
          total: a
    """
    with Scorer(make_plan(load(write("r.yaml", recipe)), purpose="score")) as scorer:
        scored, after = scorer.score_groups([group_of("BAD")]) + scorer.score_groups([group_of("good")])
    assert scored.totals == [1.0]
    assert "exit code 7" in scored.components["logged"][0].error
    assert after.components["logged"] == [Score(value=0.5)]


@pytest.mark.slow
def test_a_worker_that_hangs_costs_its_completion_only(toy, write, group_of, nothing_is_left):
    recipe = """
        version: 1
        reward:
          components:
            a: {use: toy/faulty_worker, with: {how: hang}, workers: 1, timeout: 0.3, on_missing: 0}
          total: a
    """
    with Scorer(make_plan(load(write("r.yaml", recipe)), purpose="score")) as scorer:
        [scored] = scorer.score_groups([group_of("good", "BAD")])
    assert scored.totals == [0.5, 0.0]
    assert scored.components["a"][1].error.startswith("no score within 0.3 s")


class Endless:
    """Scores that never come, as a coroutine; says when it was asked and when it was cancelled."""

    def __init__(self):
        self.asked, self.cancelled = threading.Event(), threading.Event()

    async def __call__(self, asked):
        self.asked.set()
        try:
            await asyncio.sleep(ENDLESS)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


def test_the_first_failure_ends_the_rest(plan_of, reward, group_of):
    endless = Endless()

    async def score(items):
        return await endless(items) if items[0][1].text == "endless" else faulty(items)

    with Scorer(plan_of({"a": reward(score, runs="async"), "b": reward(halves)})) as scorer:
        with pytest.raises(JobError, match=r"component 'a' .* on sample 'bad'"):
            scorer.score_groups([group_of("endless", id="slow"), group_of("x", id="bad")])
        assert endless.cancelled.wait(60)


def test_closing_cancels_what_is_being_scored(plan_of, reward, group_of):
    endless = Endless()
    with Scorer(plan_of({"a": reward(endless, runs="thread", scope="group")})) as scorer:
        pending = scorer.submit(group_of("a"))
        assert endless.asked.wait(60)
    assert endless.cancelled.is_set()
    with pytest.raises(CancelledError):
        pending.result(60)


@pytest.mark.parametrize("runs", ["inline", "thread", "async"])
@pytest.mark.parametrize("scope", ["completion", "group"])
def test_what_the_producer_raises_is_no_reward_s_failure(plan_of, reward, group_of, runs, scope):
    async def read(stream):
        return halves((await stream.group()).completions)

    async def later(items):
        return halves(items)

    score = read if scope == "group" else later if runs == "async" else halves

    async def arriving(scorer):
        stream = GroupStream(group_of("a").sample, 2)
        scoring = asyncio.create_task(scorer.score(stream))
        stream.put(0, group_of("a").completions[0])
        await asyncio.sleep(0.01)
        stream.fail(ConnectionError("the engine is gone"))
        await asyncio.wait_for(scoring, 60)

    policies = {"a": {"on_missing": "group_mean"}}
    plan = plan_of({"a": reward(score, runs=runs, scope=scope)}, policies=policies)
    with Scorer(plan) as scorer, pytest.raises(ConnectionError, match="the engine is gone"):
        asyncio.run(arriving(scorer))


# --- who waits is never held ---


@each_case(
    "coroutine, settings",
    [
        (False, {}),
        (False, {"runs": "thread"}),
        (False, {"runs": "thread", "scope": "batch"}),
        (True, {"runs": "async"}),
        (True, {"runs": "async", "scope": "group"}),
        (True, {"runs": "thread", "scope": "group"}),
    ],
)
def test_no_reward_holds_the_callers_event_loop(plan_of, reward, group_of, coroutine, settings):
    """The reward goes on only when the caller's loop lets it."""
    began, go_on = threading.Event(), threading.Event()

    def slow(items):
        began.set()
        assert go_on.wait(60), "the caller's loop is held"
        return halves(items)

    async def slow_coroutine(asked):
        return slow(asked if isinstance(asked, list) else (await asked.group()).completions)

    async def score(scorer):
        scoring = asyncio.create_task(scorer.score(GroupStream.of(group_of("a", "b"))))
        while not (began.is_set() or scoring.done()):
            await asyncio.sleep(0.001)
        go_on.set()
        return await scoring

    with Scorer(plan_of({"slow": reward(slow_coroutine if coroutine else slow, **settings)})) as scorer:
        assert asyncio.run(score(scorer)).totals == [0.5, 0.5]


@pytest.mark.parametrize(("runs", "scope"), [("async", "completion"), ("thread", "group")])
def test_a_caller_that_gives_up_cancels_the_scoring(plan_of, reward, group_of, runs, scope):
    endless = Endless()

    with Scorer(plan_of({"a": reward(endless, runs=runs, scope=scope)})) as scorer:
        asyncio.run(give_up(scorer.score(GroupStream.of(group_of("a"))), endless.asked.is_set))
        assert endless.cancelled.wait(60)


def timed(scorer, stream, **more):
    """Scores of a stream on an event loop, which is not to take longer than a minute."""

    async def work():
        return await asyncio.wait_for(scorer.score(stream, **more), 60)

    return asyncio.run(work())


def test_scoring_that_takes_too_long_tells_who_has_not_answered(plan_of, reward, group_of):
    endless = Endless()
    components = {
        "quick": reward(halves),
        "slow": reward(endless, runs="async"),
        "stuck": reward(Endless(), runs="thread", scope="group"),
    }
    told = (
        r"scoring sample 's1' \(rows.jsonl:3\) took longer than 1 s; "
        r"no answer yet from: slow \(test/made\), stuck \(test/made\)$"
    )
    with Scorer(plan_of(components)) as scorer:
        with pytest.raises(JobError, match=told):
            timed(scorer, GroupStream.of(group_of("x", source="rows.jsonl:3")), timeout=1)
        assert endless.cancelled.wait(60)


@pytest.mark.slow
def test_the_time_runs_from_when_the_group_is_complete(plan_of, reward, group_of):
    group = group_of("a", "b")

    async def late(scorer):
        stream = GroupStream(group.sample, 2)
        scoring = asyncio.create_task(scorer.score(stream, timeout=2))
        stream.put(0, group.completions[0])
        await asyncio.sleep(2.2)
        stream.put(1, group.completions[1])
        return await scoring

    with Scorer(plan_of({"a": reward(halves)})) as scorer:
        assert asyncio.run(late(scorer)).totals == [0.5, 0.5]


def test_a_group_that_cannot_be_completed_is_not_late(plan_of, reward, group_of):
    async def work(scorer):
        stream = GroupStream(group_of("a").sample, 2)
        scoring = asyncio.create_task(scorer.score(stream, timeout=0.05))
        await asyncio.sleep(0.1)
        stream.fail(ConnectionError("the engine is gone"))
        await asyncio.wait_for(scoring, 60)

    with Scorer(plan_of({"a": reward(halves)})) as scorer, pytest.raises(ConnectionError, match="is gone"):
        asyncio.run(work(scorer))


def test_a_reward_that_takes_no_notice_of_its_end_is_left_behind(plan_of, reward, group_of):
    go_on = threading.Event()

    async def stubborn(items):
        while not go_on.is_set():
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue
        return halves(items)

    with Scorer(plan_of({"a": reward(stubborn, runs="async")})) as scorer:
        with pytest.raises(JobError, match=r"took longer than 0\.1 s"):
            timed(scorer, GroupStream.of(group_of("x")), timeout=0.1)
        go_on.set()


def test_one_group_can_be_scored_as_an_evaluation_would(plan_of, reward, group_of):
    group = group_of(Completion(text="x", truncated=True))
    with Scorer(plan_of({"a": reward(halves)}), zero_truncated=True) as scorer:
        assert timed(scorer, GroupStream.of(group)).totals == [0.0]
        assert timed(scorer, GroupStream.of(group), evaluation=True).totals == [0.5]


# --- judges of another process ---


class Asked:
    """A judge as another process shows it: it answers, and has nothing to check or to close."""

    def __init__(self):
        self.asked = []

    async def ask(self, ask):
        self.asked.append(ask)
        return Reply(text="elsewhere")


def asking(reward, name="main"):
    """A reward that is 1 where judge `name` answers from elsewhere."""

    def build(options, context):
        async def score(items):
            replies = [await context.judges[name].ask(Ask()) for _ in items]
            return [Score(value=float(reply.text == "elsewhere")) for reply in replies]

        return type("Made", (), {"score": staticmethod(score)})

    return reward(None, build=build, runs="async")


class Asking(Config):
    judge: str = "main"


class Here:
    """A judge that a scorer opens itself."""

    def __init__(self):
        self.closed = False

    async def ask(self, ask):
        return Reply(text="here")

    async def aclose(self):
        self.closed = True


def test_they_are_asked_and_not_opened(plan_of, reward, group_of):
    class Keyed(Config):
        key_env: str = "A_KEY_THAT_NOBODY_SET"

    spec = JudgeSpec(name="chat", summary="made", config=Keyed, build=no_model)
    plan = plan_of({"a": replace(asking(reward), config=Asking, judges=["judge"])}, judges={"main": (spec, {})})
    with pytest.raises(UserError, match="A_KEY_THAT_NOBODY_SET is not set"):
        Scorer(plan)
    elsewhere = Asked()
    with Scorer(plan, judges={"main": elsewhere}) as scorer:
        [scored] = scorer.score_groups([group_of("x", "y")])
        assert not scorer.judges
    assert scored.totals == [1.0, 1.0]
    assert len(elsewhere.asked) == 2


def test_local_ones_are_opened_all_the_same(plan_of, reward, group_of):
    mine = Here()
    specs = {
        "main": (JudgeSpec(name="chat", summary="made", build=no_model), {}),
        "mine": (JudgeSpec(name="mine", summary="made", local=True, build=lambda *_: mine), {}),
    }
    plan = plan_of({"a": asking(reward), "b": asking(reward, "mine")}, judges=specs)
    with Scorer(plan, judges={"main": Asked(), "mine": Asked()}) as scorer:
        [scored] = scorer.score_groups([group_of("x")])
        assert list(scorer.judges) == ["mine"]
        assert not mine.closed
    assert scored.components["a"][0].value == 1.0
    assert scored.components["b"][0].value == 0.0
    assert mine.closed


def test_an_unknown_judge_is_named_among_all_of_them(plan_of, reward):
    specs = {"main": (JudgeSpec(name="chat", summary="made", build=no_model), {})}
    plan = plan_of({"a": reward(None, build=no_judge)}, judges=specs)
    with pytest.raises(UserError, match=r"component 'a' \(test/made\): no judge 'mian'; did you mean 'main'"):
        Scorer(plan, judges={"main": Asked()})


# --- building and closing ---


def ways(reward, score=halves):
    async def later(items):
        return score(items)

    async def read(stream):
        return score((await stream.group()).completions)

    return {
        "inline": reward(score),
        "thread": reward(score, runs="thread"),
        "coroutine": reward(later, runs="async"),
        "group": reward(read, runs="thread", scope="group"),
    }


def test_closing_ends_threads_and_processes(toy, write, group_of, nothing_is_left):
    before = children()
    scorer = Scorer(make_plan(load(write("r.yaml", EVERY_WAY)), purpose="score"))
    scorer.warm()
    scorer.score_groups([group_of("a", "b")])
    assert len(children() - before) == 3
    scorer.close()
    scorer.close()
    assert children() == before


def test_so_does_an_error(plan_of, reward, group_of, nothing_is_left):
    with pytest.raises(JobError), Scorer(plan_of(ways(reward) | {"bad": reward(faulty)})) as scorer:
        scorer.score_groups([group_of("a")])


@pytest.mark.parametrize("runs", ["async", "thread", "inline"])
def test_so_does_an_interrupt(plan_of, reward, group_of, nothing_is_left, runs):
    go_on = threading.Event()

    def hang(items):
        go_on.wait(60)
        return halves(items)

    components = ways(reward) | {"slow": reward(Endless() if runs == "async" else hang, runs=runs)}
    with Scorer(plan_of(components)) as scorer:
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            scorer.score_groups([group_of("a")])
        threading.Timer(0.1, go_on.set).start()


def test_a_closed_scorer_says_so(plan_of, reward, group_of):
    scorer = Scorer(plan_of({"a": reward(halves)}))
    scorer.close()
    with pytest.raises(RuntimeError, match="rewardlab-scoring is closed"):
        scorer.score_groups([group_of("a")])


def test_a_coroutine_that_awaits_nothing_is_told_once(plan_of, reward, capsys):
    async def idle(items):
        return [Score(value=1.0) for _ in items]

    for _ in range(2):
        Scorer(plan_of({"idle": reward(idle, runs="async")})).close()
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[2].partition(",")[0] for line in told] == [
        " component 'idle' (test/made): its `score` is an `async def` that awaits nothing"
    ]


def no_model(options, context):
    raise OSError("no model in /models")


def leave(options, context):
    raise SystemExit(1)


def no_judge(options, context):
    return context.judges["mian"]


@pytest.mark.parametrize(
    ("build", "kind", "told"),
    [
        (
            no_model,
            JobError,
            r"component 'bad' \(test/made\) could not be built: OSError: no model in /models",
        ),
        (leave, JobError, r"component 'bad' \(test/made\) could not be built: SystemExit: 1"),
        (no_judge, UserError, r"component 'bad' \(test/made\): no judge 'mian'; did you mean 'main'\?"),
        (
            lambda options, context: None,
            JobError,
            r"'bad' .* could not be built: .* NoneType without `score`",
        ),
        (lambda options, context: halves, JobError, r"could not be built: .* function without `score`"),
    ],
)
def test_a_reward_that_cannot_be_built_is_named(plan_of, reward, nothing_is_left, build, kind, told):
    judge = JudgeSpec(name="polite", summary="made", build=lambda *_: ways_to_ask())
    plan = plan_of(ways(reward) | {"bad": reward(None, build=build)}, judges={"main": (judge, {})})
    with pytest.raises(kind, match=told):
        Scorer(plan)


def ways_to_ask():
    class Judge:
        async def ask(self, ask):
            raise NotImplementedError

    return Judge()


def test_so_are_judges_and_normalizers(plan_of, reward, nothing_is_left):
    judge = JudgeSpec(name="chat", summary="made", build=no_model)
    told = r"judge 'main' \(test/chat\) could not be built: OSError: no model in /models"
    with pytest.raises(JobError, match=told):
        Scorer(plan_of(ways(reward), judges={"main": (judge, {})}))
    normalizer = NormalizerSpec(name="std", summary="made", build=lambda options, context: object())
    with pytest.raises(JobError, match=r"normalizer test/std could not be built: .* object without `shape`"):
        Scorer(plan_of(ways(reward), normalizers=[normalizer]))


def test_an_interrupt_while_building_ends_what_was_begun(plan_of, reward, nothing_is_left):
    def interrupted(options, context):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Scorer(plan_of(ways(reward) | {"slow": reward(None, build=interrupted)}))


def test_a_worker_s_reward_that_cannot_be_built_is_named_at_the_first_score(offer, write, group_of, nothing_is_left):
    code = """
        from rewardlab import RewardSpec, hookimpl

        def build(options, context):
            raise OSError("no model in /models")

        @hookimpl
        def rewardlab_rewards():
            return [RewardSpec(name="heavy", summary="made", runs="worker", build=build)]
    """
    offer("mine", code)
    recipe = "{version: 1, reward: {components: {a: {use: mine/heavy, on_missing: 0}}, total: a}}"
    told = "mine/heavy cannot be built: OSError: no model in /models"
    plan = make_plan(load(write("r.yaml", recipe)), purpose="score")
    with Scorer(plan) as scorer, pytest.raises(JobError, match=told):
        scorer.score_groups([group_of("a")])


def test_rewards_get_the_recipes_seed_and_the_machine(plan_of, reward, monkeypatch, tmp_path):
    given = []

    def build(options, context):
        given.append((context.seed, context.cache_dir, context.device, list(context.judges)))
        return type("Made", (), {"score": halves})

    plan = plan_of({"a": reward(None, build=build)}, seed=7)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Scorer(plan).close()
    monkeypatch.setenv("XDG_CACHE_HOME", "")  # the same as none, says its specification
    Scorer(plan, Machine(device="cuda:1")).close()
    assert given == [
        (7, tmp_path / "rewardlab", "cpu", []),
        (7, Path.home() / ".cache" / "rewardlab", "cuda:1", []),
    ]
