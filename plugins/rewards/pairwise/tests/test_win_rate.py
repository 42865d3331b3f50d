import asyncio
import hashlib
import random
import selectors
from itertools import permutations

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Context, GroupStream, Reply, Sample, find
from rewardlab.errors import JobError, UserError

answers = st.lists(st.text("abc", max_size=2), min_size=1, max_size=9)
opponents = st.one_of(st.just("all"), st.integers(1, 9))


def longer(a: str, b: str) -> str:
    return r"\boxed{A}" if len(a) > len(b) else r"\boxed{B}" if len(b) > len(a) else "no idea"


def whimsical(a: str, b: str) -> str:
    """Return a reply by both texts and who stands first: intransitive, biased to A, sometimes without a verdict."""
    draw = hashlib.sha256(f"{a}|{b}".encode()).digest()[0]
    return r"\boxed{A}" if draw < 130 else r"\boxed{B}" if draw < 220 else "no idea"


def temperamental(a: str, b: str):
    """Return any reply, or a failure, by both texts and who stands first."""
    failures = Reply(error="HTTP 503"), TimeoutError("HTTP 503"), Reply(text=r"\boxed{A}", finish_reason="length")
    draw = hashlib.sha256(f"{b}|{a}".encode()).digest()[0]
    return failures[draw % 3] if draw < 90 else whimsical(a, b)


class LeapingSelector(selectors.DefaultSelector):
    """A selector that leaps over the time that its loop would sleep."""

    now = 0.0

    def select(self, timeout: float | None = None):
        assert timeout is not None, "nothing will ever happen in this loop"
        self.now += timeout
        return super().select(0)


class LeapingLoop(asyncio.SelectorEventLoop):
    """A loop whose latencies are exact and cost no time, on a machine under load, too."""

    def __init__(self):
        self.selector = LeapingSelector()
        super().__init__(self.selector)

    def time(self) -> float:
        return self.selector.now


def build(judge, **options):
    spec = find("reward", "pairwise/win_rate")
    return spec.build(spec.config(judge="j", **options), Context(judges={"j": judge}))


def values(scores):
    return [score.value for score in scores]


def by_text(scores, texts):
    """Return the verdicts by texts, which do not depend on indices."""
    told = [(texts[i], score.info["verdicts"].items()) for i, score in enumerate(scores)]
    return {(first, texts[int(j)]): said for first, verdicts in told for j, said in verdicts}


def without_verdicts(scores):
    rest = [
        {name: value for name, value in score.info.items() if name not in ("verdicts", "fault")} for score in scores
    ]
    return [(score.value, score.error, info) for score, info in zip(scores, rest, strict=True)]


def test_the_win_rate_is_the_share_of_others_that_are_worse(scripted, win_rate):
    scores = win_rate(scripted(longer), ["xxx", "x", "xx", "xxxx"])
    assert values(scores) == [2 / 3, 0.0, 1 / 3, 1.0]
    assert scores[0].info == {
        "wins": 2, "losses": 1, "ties": 0, "missing": 0,
        "calls": 6, "tokens": 72, "unparsable": 0, "failed": 0,
        "verdicts": {"1": "A", "2": "A", "3": "B"},
        "group": {
            "calls": 12, "tokens": 144, "unparsable": 0, "failed": 0,
            "comparisons": 6, "ties": 0, "missing": 0,
            "position_bias": 0.0, "order_agreement": 1.0,
            "triples": 4, "intransitive": 0, "intransitivity": 0.0,
        },
    }  # fmt: skip
    assert all(type(count) is int for name, count in scores[0].info.items() if name not in ("verdicts", "group"))
    assert all(score.info["group"] == scores[0].info["group"] for score in scores)


def test_both_orders_are_averaged_as_in_equation_4(scripted, win_rate):
    first_wins = scripted(lambda a, b: r"\boxed{A}")
    assert values(win_rate(first_wins, ["x", "y", "z"])) == [0.5, 0.5, 0.5]
    assert sorted(first_wins.pairs) == sorted(permutations("xyz", 2))


@each_case(
    "options, expected",
    [
        ({}, 0.5),
        ({"orders": "balanced"}, 0.5),
        ({"on_unparsable": "loss"}, 0.5),
        ({"on_unparsable": "drop"}, 0.5),
        ({"profile": "sp3f_official"}, 0.0),  # "anything else" than A is 0 in the published code
    ],
)
def test_a_tie_is_a_half_for_each_and_a_loss_in_the_published_code(scripted, win_rate, options, expected):
    scores = win_rate(scripted(lambda a, b: r"\boxed{tie}"), ["x", "y"], **options)
    assert values(scores) == [expected] * 2
    assert [score.info["unparsable"] for score in scores] == [0, 0]
    assert scores[0].info["group"]["ties"] == 1
    assert {verdict for score in scores for verdict in score.info["verdicts"].values()} == {"tie"}


def test_a_only_scores_an_answer_only_where_it_stands_first(scripted, win_rate):
    judge = scripted(lambda a, b: r"\boxed{A}")
    scores = win_rate(judge, ["x", "y", "z"], orders="a_only")
    assert values(scores) == [1.0, 1.0, 1.0]
    assert len(judge.asked) == 6
    assert [score.info["calls"] for score in scores] == [2, 2, 2]


def test_a_reply_without_a_text_is_unparsable_and_names_why(scripted, win_rate):
    replies = {("x", "y"): Reply(text="", reasoning=r"\boxed{A}"), ("y", "x"): Reply(text="Hm.")}
    first, second = win_rate(scripted(lambda a, b: replies[a, b]), ["x", "y"])
    assert (first.info["verdicts"], second.info["verdicts"]) == ({"1": "unparsable"}, {"0": "unparsable"})
    assert first.info["fault"] == {"1": "the reply is reasoning alone, without a text"}
    assert "fault" not in second.info


def test_balanced_takes_half_the_calls(scripted, win_rate):
    judge = scripted(longer)
    scores = win_rate(judge, ["x" * n for n in range(1, 9)], orders="balanced")
    assert values(scores) == [n / 7 for n in range(8)]
    assert len(judge.asked) == 28


def test_an_answer_alone_gets_a_half_without_a_call(scripted, win_rate):
    judge = scripted(longer)
    (score,) = win_rate(judge, ["x"])
    assert (score.value, score.error, score.info["calls"], judge.asked) == (0.5, None, 0, [])


@given(answers, st.sampled_from(["both", "balanced"]), opponents)
def test_values_sum_to_half_the_group(scripted, win_rate, texts, orders, opponents):
    scores = win_rate(scripted(whimsical), texts, orders=orders, opponents=opponents)
    assert sum(values(scores)) == pytest.approx(len(texts) / 2, abs=1e-9)
    assert all(0.0 <= value <= 1.0 for value in values(scores))


@given(
    answers,
    st.sampled_from(["both", "balanced", "a_only"]),
    st.sampled_from(["half", "loss", "drop"]),
    opponents,
    st.integers(0, 99),
)
def test_neither_index_nor_arrival_nor_delay_matters(scripted, win_rate, texts, orders, policy, opponents, seed):
    options = {"orders": orders, "on_unparsable": policy, "opponents": opponents}
    plain = win_rate(scripted(temperamental), texts, **options)
    chance = random.Random(seed)
    order = chance.sample(range(len(texts)), len(texts))
    options["arrival"] = chance.sample(range(len(texts)), len(texts))
    judge = scripted(temperamental, delays=chance)
    reordered = [texts[i] for i in order]
    moved = win_rate(judge, reordered, **options)
    assert without_verdicts(moved) == without_verdicts([plain[i] for i in order])
    assert by_text(moved, reordered) == by_text(plain, texts)
    assert win_rate(judge, texts, **options) == plain


@given(answers, st.sampled_from(["both", "balanced", "a_only"]), opponents)
def test_identical_answers_are_judged_once_and_share_the_result(scripted, win_rate, texts, orders, opponents):
    judge = scripted(whimsical)
    scores = win_rate(judge, texts, orders=orders, opponents=opponents)
    assert len(set(judge.pairs)) == len(judge.pairs)
    assert all(a != b for a, b in judge.pairs)
    shown = without_verdicts(scores)
    assert all(shown[i] == shown[texts.index(text)] for i, text in enumerate(texts))
    assert all(scores[i].info["verdicts"] == {} for i, text in enumerate(texts) if text in texts[:i])


def test_copies_tie_with_each_other_and_count_for_others_as_often_as_they_stand_there(scripted, win_rate):
    judge = scripted(longer)
    scores = win_rate(judge, ["xx", "xx", "x"])
    assert values(scores) == [0.75, 0.75, 0.0]
    assert [(s.info["wins"], s.info["losses"], s.info["ties"]) for s in scores] == [(1, 0, 1)] * 2 + [(0, 2, 0)]
    assert len(judge.asked) == 2
    assert type(scores[0].info["ties"]) is int


def test_a_group_of_copies_needs_no_judge(scripted, win_rate):
    judge = scripted(longer)
    scores = win_rate(judge, ["x"] * 4)
    assert values(scores) == [0.5] * 4
    assert scores[0].info["ties"] == 3
    assert judge.asked == []


def test_the_judge_sees_the_reference_only_where_it_is_privileged(scripted, win_rate):
    fields = {"solution": "three plus four is seven"}
    judge = scripted(longer)
    win_rate(judge, ["x", "y"], fields=fields, privileged="solution")
    assert all(ask.parts["reference"] == fields["solution"] for ask in judge.asked)
    assert all(fields["solution"] in ask.messages[-1]["content"] for ask in judge.asked)
    judge = scripted(longer)
    win_rate(judge, ["x", "y"], fields=fields)
    assert all("reference" not in ask.parts for ask in judge.asked)
    assert all(fields["solution"] not in str(ask.messages) for ask in judge.asked)


@pytest.mark.parametrize("reference", [None, "  ", ["a"], True])
def test_a_row_without_a_reference_fails_before_anything_is_asked(scripted, win_rate, reference):
    judge = scripted(longer)
    scores = win_rate(judge, ["x", "y"], fields={"solution": reference}, privileged="solution")
    assert values(scores) == [None, None]
    assert all("'solution'" in score.error for score in scores)
    assert judge.asked == []


@each_case(
    "options, starts_early",
    [
        ({"orders": "both"}, True),
        ({"orders": "a_only"}, True),
        ({"orders": "balanced"}, False),
        ({"orders": "both", "opponents": 3}, False),
    ],
)
def test_the_scores_are_out_one_latency_after_the_last_answer(options, starts_early):
    """Each question is asked once both answers are there; where the whole group decides, all with the last answer."""
    latency, arrival = 0.05, {"x" * n: n * 0.3 / 7 for n in range(8)}
    started: dict[tuple[str, str], float] = {}

    class SlowJudge:
        async def ask(self, ask):
            started[ask.parts["a"], ask.parts["b"]] = asyncio.get_running_loop().time()
            await asyncio.sleep(latency)
            return Reply(text=longer(ask.parts["a"], ask.parts["b"]))

        def report_parsed(self, reply, ok):
            """Nobody counts here."""

    async def run():
        loop, stream = asyncio.get_running_loop(), GroupStream(Sample(id="s"), len(arrival))
        for index, (text, at) in enumerate(arrival.items()):
            loop.call_later(at, stream.put, index, Completion(text=text))
        await build(SlowJudge(), **options).score(stream)
        return loop.time()

    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        end = runner.run(run())
    assert end == pytest.approx(0.3 + latency)
    due = {pair: max(arrival[text] for text in pair) if starts_early else 0.3 for pair in started}
    assert started == pytest.approx(due)


def test_all_questions_of_a_group_are_open_at_once(scripted, win_rate):
    class BarrierJudge:
        def __init__(self):
            self.open, self.all_there = 0, asyncio.Event()

        async def ask(self, ask):
            self.open += 1
            if self.open == 56:
                self.all_there.set()
            await asyncio.wait_for(self.all_there.wait(), 60)
            return Reply(text=longer(ask.parts["a"], ask.parts["b"]))

        def report_parsed(self, reply, ok):
            """Nobody counts here."""

    assert values(win_rate(BarrierJudge(), ["x" * n for n in range(8)])) == [n / 7 for n in range(8)]


class SilentJudge:
    """A judge that never answers and counts cancelled questions; it raises `stop` where "x" stands first."""

    def __init__(self, stop: Exception | None = None):
        self.stop, self.cancelled = stop, 0

    async def ask(self, ask):
        if self.stop is not None and ask.parts["a"] == "x":
            raise self.stop
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    def report_parsed(self, reply, ok):
        """Nobody counts here."""


def test_a_group_that_breaks_off_leaves_no_question_open():
    judge = SilentJudge()

    async def run():
        stream = GroupStream(Sample(id="s"), 3)
        scoring = asyncio.create_task(build(judge).score(stream))
        stream.put(0, Completion(text="x"))
        stream.put(1, Completion(text="y"))
        await asyncio.sleep(0.01)
        stream.fail(RuntimeError("the engine died"))
        with pytest.raises(RuntimeError, match="the engine died"):
            await scoring
        return judge.cancelled

    assert asyncio.run(run()) == 2


@pytest.mark.parametrize("stop", [JobError("the budget is spent"), UserError("no such model")])
def test_a_stop_of_the_job_is_no_failed_comparison_and_waits_for_no_answer(stop):
    judge = SilentJudge(stop)

    async def run():
        stream = GroupStream(Sample(id="s"), 3)
        stream.put(0, Completion(text="x"))
        stream.put(1, Completion(text="y"))
        with pytest.raises(type(stop)) as raised:
            await asyncio.wait_for(build(judge).score(stream), 60)
        return raised.value

    assert asyncio.run(run()) is stop
    assert judge.cancelled == 1
