"""How a reward runs, what is asked of it at once, and what becomes of everything that it does wrong."""

import asyncio
import json
import math
import threading
import time
from contextlib import ExitStack
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import GroupStream, RewardSpec, Score
from rewardlab.errors import JobError
from rewardlab.scoring.executors import MAX_ITEMS, ItemExecutor, open_executor
from rewardlab.workers.errors import (
    PluginRaisedError,
    WorkerDiedError,
    WorkerMemoryError,
    WorkerStartError,
    WorkerTimeout,
)

pytestmark = pytest.mark.usefixtures("no_complaints")
WAYS = ["inline", "thread", "async"]


def spec_of(**spec):
    return RewardSpec(name="made", summary="made by a test", build=lambda options, context: None, **spec)


@pytest.fixture
def no_complaints(caplog):
    """Nothing that an executor starts ends in an exception that only the event loop's log tells of."""
    yield
    assert not [record.getMessage() for record in caplog.get_records("call") if record.name == "asyncio"]


@pytest.fixture
def open_one():
    """The executor of a function that scores: what it runs in ends with the test."""
    with ExitStack() as stack:

        def executor(score, runs="inline", scope="completion", **spec):
            spec = spec_of(runs=runs, scope=scope, **spec)
            return open_executor(spec, as_declared(score, spec), "executor", stack)

        yield executor


def as_declared(score, spec):
    """A plain function as what the spec says it is: a coroutine function, a reader of streams."""
    if spec.scope == "group":

        async def read(stream):
            group = await stream.group()
            return score([(group.sample, completion) for completion in group.completions])

        return read
    if spec.runs == "async":

        async def later(items):
            await asyncio.sleep(0)
            return score(items)

        return later
    return score


def ask(executor, *groups):
    """The scores of groups that are asked for at once."""

    async def together():
        return await asyncio.gather(*(executor.score(GroupStream.of(group)) for group in groups))

    return asyncio.run(together())


def halves(items):
    return [Score(value=0.5) for _ in items]


def length(items):
    return [Score(value=len(completion.text) / 10) for _, completion in items]


# --- what is accepted ---


@pytest.mark.parametrize(
    "value",
    [1, 0, np.float64(0.5), np.float32(0.5), np.float16(0.5), np.int64(1), np.uint8(1), Fraction(1, 2)],
)
def test_every_kind_of_real_number_is_a_value(open_one, group_of, value):
    executor = open_one(lambda items: [Score(value=value, info={"kept": 1})])
    [[found]] = ask(executor, group_of("a"))
    assert found == Score(value=float(value), info={"kept": 1})
    assert type(found.value) is float


def test_abstentions_and_failures_are_as_the_reward_says(open_one, group_of):
    said = [
        Score(info={"reason": "unsupported"}),
        Score(error="no answer", info={"tries": 3}),
        Score(value=0.25),
    ]
    assert ask(open_one(lambda items: said), group_of("a", "b", "c")) == [said]
    assert ask(open_one(lambda items: tuple(said)), group_of("a", "b", "c")) == [said]


def test_a_value_next_to_an_error_is_no_value(open_one, group_of):
    executor = open_one(lambda items: [Score(value=0.0, error="the judge is gone", info={"tries": 3})])
    assert ask(executor, group_of("a")) == [[Score(error="the judge is gone", info={"tries": 3})]]


def test_rounding_may_leave_the_range_and_is_put_back(open_one, group_of):
    executor = open_one(lambda items: [Score(value=1 + 2e-16), Score(value=-1e-12)])
    assert [s.value for s in ask(executor, group_of("a", "b"))[0]] == [1.0, 0.0]


# --- what is a failure of the plugin ---


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Impostor:
    value, info, error = 0.5, {}, None


def raising(error):
    def score(items):
        raise error

    return score


async def coroutine(items):
    return halves(items)


def recursion(items):
    return recursion(items)


loop_of_info = {}
loop_of_info["me"] = loop_of_info

ONE_SCORE = {
    "nan": (Score(value=math.nan), "value nan is not finite"),
    "numpy's nan": (Score(value=np.float32("nan")), "value nan is not finite"),
    "infinity": (Score(value=-math.inf), "value -inf is not finite"),
    "above": (Score(value=1.5), "value 1.5 is outside the declared range [0, 1]"),
    "below": (Score(value=-1), "value -1.0 is outside the declared range [0, 1]"),
    "huge": (Score(value=10**400), "OverflowError: int too large to convert to float"),
    "true": (Score(value=True), "value True is not a number; write 1.0"),
    "numpy's true": (Score(value=np.bool_(True)), "value np.True_ is not a number"),
    "text": (Score(value="0.5"), "value '0.5' is not a number"),
    "list": (Score(value=[0.5]), "value [0.5] is not a number"),
    "array": (Score(value=np.array([0.5])), "value array([0.5]) is not a number"),
    "complex": (Score(value=0.5 + 0j), "value (0.5+0j) is not a number"),
    "number": (0.5, "returned float, not a Score"),
    "none": (None, "returned NoneType, not a Score"),
    "dict": ({"value": 0.5}, "returned dict, not a Score"),
    "impostor": (Impostor(), "returned Impostor, not a Score"),
    "no info": (Score(value=0.5, info=None), "info is NoneType, not a mapping"),
    "list as info": (Score(value=0.5, info=["x"]), "info is list, not a mapping"),
    "numpy in info": (
        Score(value=0.5, info={"n": np.int64(3)}),
        "info['n'] is not a JSON value: Object of type int64 is not JSON serializable",
    ),
    "nan in info": (
        Score(value=0.5, info={"fine": 1, "raw": math.nan}),
        "info['raw'] is not a JSON value: Out of range float values are not JSON compliant",
    ),
    "loop in info": (Score(value=0.5, info=loop_of_info), "info['me'] is not a JSON value: Circular reference"),
    "error and bad info": (Score(error="no answer", info={1: {2}}), "no answer; info[1] is not a JSON value"),
    "exception as error": (Score(error=ValueError("no answer")), "no answer"),
    "empty error": (Score(error=""), ""),
}

WHOLE_CALL = {
    "exception": (raising(ValueError("out\nof order")), "ValueError: out of order (at test_executors.py:"),
    "wordless": (raising(Wordless()), "Wordless: its text cannot be read: RuntimeError (at test_executors.py:"),
    "exit": (raising(SystemExit(3)), "SystemExit: 3 (at test_executors.py:"),
    "interrupt": (raising(KeyboardInterrupt()), "KeyboardInterrupt (at test_executors.py:"),
    "generator exit": (raising(GeneratorExit()), "GeneratorExit"),
    "cancelled": (raising(asyncio.CancelledError()), "CancelledError (at test_executors.py:"),
    "iterator": (raising(StopIteration()), "RuntimeError: "),
    "recursion": (recursion, "RecursionError: maximum recursion depth exceeded (at test_executors.py:"),
    "no list": (lambda items: 0.5, "TypeError: score returned float, not a list of Score"),
    "nothing": (lambda items: None, "TypeError: score returned NoneType, not a list of Score"),
    "generator": (
        lambda items: (s for s in halves(items)),
        "TypeError: score returned generator, not a list",
    ),
    "dict": (lambda items: dict(enumerate(halves(items))), "TypeError: score returned dict, not a list"),
    "array": (lambda items: np.ones(len(items)), "TypeError: score returned ndarray, not a list"),
    "short": (lambda items: halves(items)[1:], "ValueError: score returned "),
    "long": (lambda items: halves(items) * 2, "ValueError: score returned "),
    "empty": (lambda items: [], "ValueError: score returned 0 scores for 1 completion"),
}


@pytest.mark.parametrize("runs", WAYS)
@each_case("given, told", ONE_SCORE.values())
def test_a_score_that_breaks_the_contract_fails_its_completion_alone(open_one, group_of, given, told, runs):
    executor = open_one(lambda items: [given if c.text == "bad" else Score(value=0.5) for _, c in items], runs)
    [[before, bad, after]] = ask(executor, group_of("good", "bad", "fine"))
    assert before == after == Score(value=0.5)
    assert bad.value is None
    assert told in bad.error
    json.dumps(dict(bad.info), allow_nan=False)


@pytest.mark.parametrize("runs", WAYS)
@each_case("fault, told", WHOLE_CALL.values())
def test_a_call_that_fails_as_a_whole_fails_the_one_at_fault_alone(open_one, group_of, fault, told, runs):
    executor = open_one(lambda items: (fault if any(c.text == "bad" for _, c in items) else halves)(items), runs)
    [[before, bad, after], [neighbour]] = ask(executor, group_of("good", "bad", "fine"), group_of("other"))
    assert before == after == neighbour == Score(value=0.5)
    assert bad.value is None
    assert told in bad.error


@pytest.mark.parametrize("runs", WAYS)
@each_case("fault, told", WHOLE_CALL.values())
def test_a_group_reward_that_fails_fails_its_group_alone(open_one, group_of, fault, told, runs):
    if "0 scores for 1" in told:
        told = "ValueError: score returned 0 scores for 2"
    executor = open_one(lambda items: (fault if items[0][1].text == "bad" else halves)(items), runs, "group")
    [failed, fine] = ask(executor, group_of("bad", "b"), group_of("a", "b"))
    assert [score.value for score in failed] == [None, None]
    assert all(score.error.startswith(told) for score in failed)
    assert fine == [Score(value=0.5)] * 2


@pytest.mark.parametrize("runs", ["inline", "thread"])
def test_a_coroutine_where_none_was_declared_is_named(open_one, group_of, runs, recwarn):
    [[found]] = ask(open_one(coroutine, runs), group_of("a"))
    assert found.error == "TypeError: score is a coroutine function; declare runs='async' or scope='group'"
    assert not recwarn.list, "the coroutine was never awaited"


@pytest.mark.parametrize(("scope", "runs"), [("completion", "async"), ("batch", "async"), ("group", "inline")])
def test_no_coroutine_where_one_was_declared_is_named(group_of, scope, runs):
    executor = open_executor(spec_of(runs=runs, scope=scope), lambda asked: [Score(value=0.5)], "executor", ExitStack())
    [[found]] = ask(executor, group_of("a"))
    assert found.error == "TypeError: score is not a coroutine function; write `async def score`"


def test_info_may_be_any_mapping(open_one, group_of):
    given = MappingProxyType({"raw": "NaN"})
    assert ask(open_one(lambda items: [Score(value=0.5, info=given)]), group_of("a"))[0][0].info == given


@pytest.mark.parametrize("scope", ["completion", "batch", "group"])
def test_a_reward_runs_where_its_spec_says(open_one, group_of, scope):
    def score(items):
        return [Score(value=0.5, info={"thread": threading.current_thread().name}) for _ in items]

    here, there = threading.current_thread().name, "executor"
    for runs, where in {"inline": here, "async": here, "thread": there}.items():
        [[found]] = ask(open_one(score, runs, scope), group_of("a"))
        assert found.info["thread"] == where


# --- what is asked at once ---

batches = st.lists(st.lists(st.sampled_from(["good", "fine", "bad", "raise"]), min_size=1, max_size=4), max_size=6)


def moody(items):
    """length, except for the texts `bad` (not a score) and `raise` (fails the whole call)."""
    if any(completion.text == "raise" for _, completion in items):
        raise ValueError("out of order")
    return [s if c.text != "bad" else None for s, (_, c) in zip(length(items), items, strict=True)]


@given(batches, st.sampled_from(WAYS), st.sampled_from(["completion", "batch"]))
def test_a_score_does_not_depend_on_what_it_is_asked_with(group_of, texts, runs, scope):
    alone = {"good": 0.4, "fine": 0.4, "bad": None, "raise": None}
    spec = spec_of(runs=runs, scope=scope)
    with ExitStack() as stack:
        executor = open_executor(spec, as_declared(moody, spec), "executor", stack)
        found = ask(executor, *(group_of(*group, id=str(number)) for number, group in enumerate(texts)))
    assert [[score.value for score in group] for group in found] == [[alone[t] for t in g] for g in texts]


class Recorder:
    """Scores by length; keeps the texts of each call."""

    def __init__(self, before=lambda: None):
        self.calls = []
        self._before = before

    def __call__(self, items):
        self.calls.append([completion.text for _, completion in items])
        self._before()
        return length(items)


@pytest.mark.parametrize("runs", WAYS)
def test_a_batch_reward_is_asked_across_groups(open_one, group_of, runs):
    reward = Recorder()
    found = ask(open_one(reward, runs, "batch"), group_of("a", "ab", id="1"), group_of("abc", id="2"))
    assert reward.calls == [["a", "ab", "abc"]]
    assert [[score.value for score in group] for group in found] == [[0.1, 0.2], [0.3]]


def test_a_reward_in_a_thread_is_asked_for_what_has_gathered_while_it_was_busy(open_one, group_of):
    go_on = threading.Event()
    reward = Recorder(before=lambda: go_on.wait(60))
    executor = open_one(reward, "thread")

    async def scenario():
        first = asyncio.create_task(executor.score(GroupStream.of(group_of("first"))))
        while not reward.calls:
            await asyncio.sleep(0.001)
        others = [asyncio.create_task(executor.score(GroupStream.of(group_of(f"{n}", "b")))) for n in range(3)]
        await asyncio.sleep(0.05)
        go_on.set()
        return await asyncio.gather(first, *others)

    assert len(asyncio.run(scenario())) == 4
    assert reward.calls == [["first"], ["0", "b", "1", "b", "2", "b"]]


def test_a_batch_of_coroutines_does_not_wait_for_the_one_before(open_one, group_of):
    calls, go_on = [], asyncio.Event()

    async def score(items):
        calls.append([completion.text for _, completion in items])
        if calls[-1] == ["first"]:
            await go_on.wait()
        return halves(items)

    executor = open_executor(spec_of(runs="async", scope="batch"), score, "executor", ExitStack())

    async def scenario():
        first = asyncio.create_task(executor.score(GroupStream.of(group_of("first"))))
        await asyncio.sleep(0.01)
        await asyncio.gather(*(executor.score(GroupStream.of(group_of(text))) for text in ("a", "b")))
        go_on.set()
        await first

    asyncio.run(scenario())
    assert calls == [["first"], ["a", "b"]]


def test_what_a_coroutine_failed_together_it_is_asked_alone_all_at_once(open_one, group_of):
    under_way, most = 0, 0

    async def score(items):
        nonlocal under_way, most
        if len(items) > 1:
            raise ValueError("too many")
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return halves(items)

    executor = open_executor(spec_of(runs="async", scope="batch"), score, "executor", ExitStack())
    [scores] = ask(executor, group_of(*"abcd"))
    assert [score.value for score in scores] == [0.5] * 4
    assert most == 4


@pytest.mark.parametrize("scope", ["completion", "batch"])
def test_no_call_has_more_items_than_the_limit_unless_a_group_has(open_one, group_of, scope):
    most, reward = MAX_ITEMS[scope], Recorder()
    executor = open_one(reward, "thread", scope)
    sizes = [3 * most // 4, most // 4, 2, most + 1, 1]
    found = ask(executor, *(group_of(*["x"] * size, id=str(size)) for size in sizes))
    assert [len(call) for call in reward.calls] == [most, 2, most + 1, 1]
    assert [len(scores) for scores in found] == sizes


@pytest.mark.parametrize("scope", ["completion", "batch"])
def test_nothing_is_asked_for_more_than_twice(open_one, group_of, scope):
    asked = []

    def score(items):
        asked.extend(completion.text for _, completion in items)
        raise ValueError("out of order")

    ask(open_one(score, "thread", scope), group_of(*map(str, range(20))))
    assert sorted(asked) == sorted([*map(str, range(20))] * 2)


def test_calls_share_what_waits_and_never_exceed_their_number(group_of):
    under_way, most, calls = 0, 0, []

    async def call(items):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        calls.append(len(items))
        await asyncio.sleep(0.01)
        under_way -= 1
        return halves(items)

    executor = ItemExecutor(spec_of(runs="worker"), call, 3)

    async def scenario():
        first = [asyncio.create_task(executor.score(GroupStream.of(group_of("a", "b")))) for _ in range(9)]
        await asyncio.sleep(0.005)  # all calls are under way
        later = [asyncio.create_task(executor.score(GroupStream.of(group_of("a", "b")))) for _ in range(2)]
        return await asyncio.gather(*first, *later)

    asyncio.run(scenario())
    assert calls[:3] == [6, 6, 6]
    assert (sum(calls), most) == (22, 3)


def test_what_nobody_waits_for_any_more_is_not_asked(open_one, group_of):
    go_on = threading.Event()
    reward = Recorder(before=lambda: go_on.wait(60))
    executor = open_one(reward, "thread")

    async def scenario():
        first, second, third = (
            asyncio.create_task(executor.score(GroupStream.of(group_of(text)))) for text in ("1", "2", "3")
        )
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0.02)
        fourth = asyncio.create_task(executor.score(GroupStream.of(group_of("4"))))
        fifth = asyncio.create_task(executor.score(GroupStream.of(group_of("5"))))
        await asyncio.sleep(0.02)
        fourth.cancel()
        go_on.set()
        return await asyncio.gather(second, third, fifth)

    assert [[score.value for score in scores] for scores in asyncio.run(scenario())] == [[0.1]] * 3
    assert reward.calls[-1] == ["5"]


# --- groups as they arrive ---


@pytest.mark.parametrize("runs", WAYS)
def test_a_group_reward_begins_before_its_group_is_complete(group_of, runs):
    begun = threading.Event()

    class Eager:
        async def score(self, stream):
            scores = [None] * stream.size
            async for index, completion in stream:
                begun.set()
                scores[index] = Score(value=len(completion.text) / 10)
            return scores

    stack = ExitStack()
    executor = open_executor(spec_of(runs=runs, scope="group"), Eager().score, "executor", stack)
    group = group_of("a", "ab")

    async def scenario():
        stream = GroupStream(group.sample, 2)
        scoring = asyncio.create_task(executor.score(stream))
        stream.put(1, group.completions[1])
        while not begun.is_set():
            await asyncio.sleep(0.001)
        stream.put(0, group.completions[0])
        return await scoring

    assert [score.value for score in asyncio.run(asyncio.wait_for(scenario(), 60))] == [0.1, 0.2]
    stack.close()


@pytest.mark.parametrize("runs", WAYS)
def test_items_whose_group_never_comes_are_the_producers_fault(open_one, group_of, runs):
    executor, stream = open_one(halves, runs), GroupStream(group_of("a").sample, 2)
    stream.fail(ConnectionError("the engine is gone"))
    with pytest.raises(ConnectionError, match="the engine is gone"):
        asyncio.run(executor.score(stream))


# --- workers (what they do themselves is in test_worker.py) ---


def worker_executor(errors, **spec):
    """An executor of a worker that answers as the texts say: `slow` and `deadly` raise."""

    async def call(items):
        for _, completion in items:
            if completion.text in errors:
                raise errors[completion.text]
        return halves(items)

    return ItemExecutor(spec_of(runs="worker", **spec), call, 1)


@pytest.mark.parametrize(
    "error",
    [
        PluginRaisedError("ValueError: no (at x.py:3)"),
        WorkerTimeout("no score within 2 s", cpu_bound=False),
        WorkerMemoryError("it took more memory than its worker may (4 GB)"),
        WorkerDiedError("the worker died (signal 11)"),
    ],
)
def test_what_ends_a_worker_fails_the_completion_alone(group_of, error):
    [[before, bad, after]] = ask(worker_executor({"bad": error}), group_of("good", "bad", "fine"))
    assert before == after == Score(value=0.5)
    assert bad == Score(error=str(error))


def test_a_worker_that_cannot_be_had_is_no_completions_fault(group_of):
    executor = worker_executor({"bad": WorkerStartError("made cannot be built: no model")})
    with pytest.raises(JobError, match="made cannot be built: no model"):
        ask(executor, group_of("good", "bad"))


@pytest.mark.parametrize(
    ("cpu_bound", "on_timeout", "found"),
    [
        (True, 0.25, Score(value=0.25, info={"timed_out": True})),
        (True, "fail", Score(error="no score within 2 s")),
        (False, 0.25, Score(error="no score within 2 s")),  # the machine was slow, not the completion
    ],
)
def test_a_completion_that_takes_all_the_time_for_itself_may_get_a_value(group_of, cpu_bound, on_timeout, found):
    slow = WorkerTimeout("no score within 2 s", cpu_bound=cpu_bound)
    assert ask(worker_executor({"slow": slow}, on_timeout=on_timeout), group_of("good", "slow")) == [
        [Score(value=0.5), found]
    ]


def test_every_waiting_group_learns_that_the_job_has_failed(group_of):
    executor = worker_executor({"bad": WorkerStartError("no model")})

    async def scenario():
        groups = [group_of("a", id="1"), group_of("bad", id="2"), group_of("c", id="3")]
        asked = [asyncio.create_task(executor.score(GroupStream.of(group))) for group in groups]
        return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 60)

    assert [str(outcome) for outcome in asyncio.run(scenario())] == ["no model"] * 3


@pytest.mark.parametrize("scope", ["completion", "batch", "group"])
@pytest.mark.parametrize("runs", ["async", "thread"])
def test_cancelling_is_no_failure_of_the_reward(open_one, group_of, runs, scope):
    asked = threading.Event()

    async def endless(given):
        asked.set()
        await asyncio.sleep(3600)

    async def scenario():
        if runs == "thread":
            executor = open_one(Recorder(before=lambda: (asked.set(), time.sleep(0.05))), "thread", scope)
        else:
            executor = open_executor(spec_of(runs="async", scope=scope), endless, "executor", ExitStack())
        scoring = asyncio.create_task(executor.score(GroupStream.of(group_of("a"))))
        while not asked.is_set():
            await asyncio.sleep(0.001)
        scoring.cancel()
        await scoring

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(scenario())
