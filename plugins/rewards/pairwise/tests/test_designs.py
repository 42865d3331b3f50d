"""Who meets whom in each design, what it costs, and what a lost verdict does there."""

import asyncio
import hashlib
import random
from collections import Counter
from itertools import combinations, product

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from rewardlab import Completion, Context, GroupStream, Reply, Sample, find
from rewardlab.errors import JobError
from rewardlab_pairwise.designs import rounds_of
from rewardlab_pairwise.pairwise_reward import PairwiseOptions, misfit, most_calls
from rewardlab_pairwise.tally import PairVerdict

SPEC = find("reward", "pairwise/win_rate")
DESIGNS = ["swiss", "knockout", "anchor", "adaptive"]
answers = st.lists(st.text("abc", max_size=2), min_size=1, max_size=9)


@st.composite
def tournaments(draw):
    """Draw options of a design, any orders and scores that go with it."""
    design = draw(st.sampled_from(DESIGNS))
    options = {"design": design, "scores": draw(st.sampled_from(["wins", "bradley_terry", None]))}
    options["on_unparsable"] = draw(st.sampled_from(["half", "loss", "drop"]))
    if design != "adaptive":
        options["orders"] = draw(st.sampled_from(["both", "balanced"]))
    name = {"anchor": "anchors", "swiss": "rounds", "adaptive": "rounds"}.get(design)
    return options if name is None else {**options, name: draw(st.sampled_from([None, 2, 3, 20]))}


def longer(a: str, b: str) -> str:
    return r"\boxed{A}" if len(a) > len(b) else r"\boxed{B}" if len(b) > len(a) else r"\boxed{tie}"


def temperamental(seed: int):
    """Return a judge that says anything, or fails, by both texts and who stands first."""
    kinds = [
        r"\boxed{A}",
        r"\boxed{A}",
        r"\boxed{B}",
        r"\boxed{tie}",
        "no idea",
        Reply(error="HTTP 503"),
        TimeoutError("x"),
    ]
    return lambda a, b: kinds[hashlib.sha256(f"{seed}|{a}|{b}".encode()).digest()[0] % len(kinds)]


def values(scores):
    return [score.value for score in scores]


def numbers(scores):
    """Return all of the scores but what names answers by their places."""
    by_place = ("verdicts", "fault")
    infos = [{name: value for name, value in score.info.items() if name not in by_place} for score in scores]
    return [(score.value, score.error, info) for score, info in zip(scores, infos, strict=True)]


def higher(first: int, second: int) -> float:
    return float(first > second)


def played(size: int, says=higher, **options) -> list[list[tuple[int, int]]]:
    """Return the rounds of a group of `size` answers, of which a judge `says` whether the first wins, or None."""
    rounds = rounds_of(PairwiseOptions(judge="j", **options), [str(place) for place in range(size)])
    verdicts: dict = {}
    shown = []
    pairs = next(rounds, None)
    while pairs is not None:
        shown.append([(int(first), int(second)) for first, second in pairs])
        verdicts |= {pair: PairVerdict(verdict="A", first_wins=says(*map(int, pair))) for pair in pairs}
        try:
            pairs = rounds.send(verdicts)
        except StopIteration:
            pairs = None
    return shown


@given(tournaments(), answers, st.integers(0, 99))
def test_neither_index_nor_arrival_nor_delay_matters(scripted, win_rate, options, texts, seed):
    reply, chance = temperamental(seed), random.Random(seed)
    judge = scripted(reply)
    plain = win_rate(judge, texts, **options)
    order = chance.sample(range(len(texts)), len(texts))
    arrival = chance.sample(range(len(texts)), len(texts))
    slow = scripted(reply, delays=chance)
    moved = win_rate(slow, [texts[place] for place in order], arrival=arrival, **options)
    assert numbers(moved) == [numbers(plain)[place] for place in order]
    assert sorted(slow.pairs) == sorted(judge.pairs)


@given(tournaments(), answers, st.integers(0, 99))
def test_a_question_is_asked_once_and_no_more_are_than_calls_says(scripted, win_rate, options, texts, seed):
    judge = scripted(temperamental(seed))
    scores = win_rate(judge, texts, **options)
    assert len(set(judge.pairs)) == len(judge.pairs) <= SPEC.calls(SPEC.config(judge="j", **options), len(texts))
    assert all(first != second for first, second in judge.pairs)
    assert scores[0].info["group"]["calls"] == len(judge.pairs)


@given(tournaments(), answers, st.integers(0, 99))
def test_a_score_is_a_share_or_an_error_and_never_one_for_an_answer_without_a_verdict(
    scripted, win_rate, options, texts, seed
):
    scores = win_rate(scripted(temperamental(seed)), texts, **options)
    for text, score in zip(texts, scores, strict=True):
        assert (score.error is None) == (score.value is not None)
        assert score.value is None or 0.0 <= score.value <= 1.0
        assert (score.value, score.error) == (scores[texts.index(text)].value, scores[texts.index(text)].error)
        asked_in_vain = score.info["calls"] == score.info["failed"] and score.info["group"]["calls"] > 0
        assert score.value is None or not asked_in_vain


@each_case(
    "options, questions",
    [
        ({"design": "swiss"}, {2: 2, 3: 4, 8: 24, 16: 64, 32: 160}),
        ({"design": "swiss", "orders": "balanced"}, {2: 1, 3: 2, 8: 12, 16: 32, 32: 80}),
        ({"design": "adaptive"}, {2: 2, 3: 4, 8: 24, 16: 64, 32: 160}),
        ({"design": "adaptive", "rounds": 7}, {2: 2, 8: 28}),
        ({"design": "knockout"}, {2: 2, 3: 4, 8: 14, 16: 30, 32: 62}),
        ({"design": "knockout", "orders": "balanced"}, {2: 1, 7: 6, 32: 31}),
        ({"design": "anchor"}, {2: 2, 3: 6, 8: 26, 32: 122}),
        ({"design": "anchor", "anchors": 1, "orders": "balanced"}, {2: 1, 8: 7}),
        ({"design": "round_robin"}, {2: 2, 8: 56}),
    ],
)
def test_what_a_design_costs_where_no_verdict_is_lost_or_tied(options, questions):
    for size, number in questions.items():
        assert most_calls(PairwiseOptions(judge="j", **options), size) == number
        if options["design"] != "round_robin":
            assert sum(map(len, played(size, **options))) == number
    assert most_calls(PairwiseOptions(judge="j", **options), 1) == 0


def test_in_a_knockout_who_has_lost_is_not_asked_about_again():
    rounds = played(6, design="knockout")
    met = [{frozenset(pair) for pair in pairs} for pairs in rounds]
    assert met == [
        {frozenset({0, 1}), frozenset({2, 3}), frozenset({4, 5})},
        {frozenset({1, 3})},
        {frozenset({5, 3})},
    ]


def test_in_swiss_those_who_won_as_much_meet_and_no_pair_meets_twice():
    rounds = played(8, design="swiss", rounds=7)
    met = [frozenset(pair) for pairs in rounds for pair in pairs[::2]]
    assert len(set(met)) == len(met)
    assert {frozenset(pair) for pair in rounds[1]} == {frozenset(pair) for pair in ((1, 3), (5, 7), (0, 2), (4, 6))}


@each_case("design", ["swiss", "adaptive"])
def test_nobody_sits_out_all_rounds_even_if_all_are_tied(scripted, win_rate, design):
    for size in range(2, 14):
        scores = win_rate(scripted(lambda a, b: r"\boxed{tie}"), ["x" * n for n in range(size)], design=design)
        assert values(scores) == pytest.approx([0.5] * size)
        assert all(score.info["calls"] > 0 for score in scores)


def test_all_meet_the_anchors_and_only_them():
    (pairs,) = played(5, design="anchor", anchors=2)
    assert {frozenset(pair) for pair in pairs} == {frozenset(p) for p in combinations(range(5), 2) if p[0] < 2}


def test_adaptive_asks_where_the_judge_may_say_either():
    rounds = played(8, design="adaptive", rounds=8)
    far = [abs(first - second) for pairs in rounds[4:] for first, second in pairs]
    assert sum(far) / len(far) < 3.0  # of all pairs the mean is 3
    assert len({pair for pairs in rounds for pair in pairs}) == 32


def test_balanced_asks_each_pair_once_and_puts_first_who_stood_first_less_often():
    for design in ("swiss", "knockout", "anchor"):
        rounds = played(8, design=design, orders="balanced")
        met = [frozenset(pair) for pairs in rounds for pair in pairs]
        assert len(set(met)) == len(met)
        lead = Counter()
        for pairs in rounds:
            assert design == "anchor" or all(lead[first] <= lead[second] for first, second in pairs)
            lead.update(first for first, _ in pairs)
            lead.subtract(second for _, second in pairs)
        assert design != "anchor" or all(abs(times) <= 1 for times in lead.values())


@each_case("design", DESIGNS)
def test_the_better_of_two_wins_and_equal_ones_share(scripted, win_rate, design):
    for scoring in ("wins", "bradley_terry"):
        worse, better = values(win_rate(scripted(longer), ["x", "xx"], design=design, scores=scoring))
        assert better > 0.8
        assert worse + better == pytest.approx(1.0)
        assert values(win_rate(scripted(longer), ["x", "y"], design=design, scores=scoring)) == [0.5, 0.5]
        assert values(win_rate(scripted(longer), ["x", "x"], design=design, scores=scoring)) == [0.5, 0.5]
        assert values(win_rate(scripted(longer), ["x"], design=design, scores=scoring)) == [0.5]


def test_a_lost_verdict_of_a_knockout_lets_neither_go_on_and_gives_neither_a_value(scripted, win_rate):
    texts = ["x" * length for length in range(1, 9)]
    judge = scripted(longer)
    win_rate(judge, texts, design="knockout")
    final = set(judge.pairs[-1])

    def reply(a, b):
        return Reply(error="HTTP 503") if {a, b} == final else longer(a, b)

    for scoring in ("wins", "bradley_terry"):
        scores = win_rate(scripted(reply), texts, design="knockout", scores=scoring)
        lost = {text for text, score in zip(texts, scores, strict=True) if score.value is None}
        assert lost == final
        assert all("HTTP 503" in score.error for score in scores if score.error)


@each_case("options", [{"design": "swiss"}, {"design": "adaptive"}, {"design": "anchor", "anchors": 3}])
def test_elsewhere_what_is_left_decides(scripted, win_rate, options):
    texts = ["x" * length for length in range(1, 9)]
    judge = scripted(longer)
    win_rate(judge, texts, **options)
    lost = set(judge.pairs[:2])
    reply = lambda a, b: Reply(error="down") if (a, b) in lost else longer(a, b)  # noqa: E731
    scores = win_rate(scripted(reply), texts, **options)
    assert all(score.value is not None for score in scores)
    assert scores[0].info["group"]["failed"] == 2


@each_case("design", DESIGNS)
def test_a_dead_judge_gives_no_value(scripted, win_rate, design):
    scores = win_rate(scripted(lambda a, b: Reply(error="HTTP 503")), ["x", "xx", "xxx", "x"], design=design)
    assert values(scores) == [None] * 4
    assert any("HTTP 503" in score.error for score in scores)
    assert all("HTTP 503" in score.error or "it met nobody" in score.error for score in scores)


@each_case("design", DESIGNS)
def test_a_stop_of_the_job_ends_a_round(scripted, design):
    stop = JobError("the budget is spent")

    async def run():
        spec = find("reward", "pairwise/win_rate")
        judge = scripted(lambda a, b: stop)
        reward = spec.build(spec.config(judge="j", design=design), Context(judges={"j": judge}))
        stream = GroupStream(Sample(id="s"), 4)
        for place, text in enumerate(["x", "xx", "xxx", "xxxx"]):
            stream.put(place, Completion(text=text))
        with pytest.raises(JobError) as raised:
            await asyncio.wait_for(reward.score(stream), 60)
        return raised.value

    assert asyncio.run(run()) is stop


@each_case("design", DESIGNS)
def test_a_design_asks_nothing_before_the_last_answer(scripted, design):
    async def run():
        judge = scripted(longer)
        reward = SPEC.build(SPEC.config(judge="j", design=design), Context(judges={"j": judge}))
        stream = GroupStream(Sample(id="s"), 3)
        scoring = asyncio.create_task(reward.score(stream))
        for place, text in enumerate(["x", "xx"]):
            stream.put(place, Completion(text=text))
        for _ in range(50):
            await asyncio.sleep(0)
        early = len(judge.asked)
        stream.put(2, Completion(text="xxx"))
        await scoring
        return early, len(judge.asked)

    early, asked = asyncio.run(run())
    assert early == 0 < asked


@each_case(
    "options, size, problem",
    [
        ({"design": "swiss", "rounds": 8}, 8, "design swiss has at most 7 rounds in a group of 8, not 8; lower rounds"),
        ({"design": "swiss", "rounds": 7}, 8, None),
        ({"design": "swiss", "rounds": 7}, 7, None),
        (
            {"design": "adaptive", "rounds": 15},
            8,
            "design adaptive has at most 14 rounds in a group of 8, not 15; lower",
        ),
        ({"design": "anchor", "anchors": 4}, 4, "design anchor has at most 3 anchors in a group of 4, not 4; lower"),
        ({"design": "anchor"}, 2, None),
        ({"design": "swiss", "rounds": 2}, 2, "at most 1 rounds in a group of 2, not 2; lower rounds, or leave it out"),
        ({"design": "adaptive", "rounds": 2}, 2, None),
        ({"design": "anchor", "anchors": 4}, 1, None),  # one answer alone meets nobody
        ({"opponents": 9}, 4, None),
    ],
)
def test_a_design_that_a_group_cannot_have_says_why(options, size, problem):
    answer = misfit(PairwiseOptions(judge="j", **options), size)
    assert answer is None if problem is None else problem in answer
    assert SPEC.refuses_size(SPEC.config(judge="j", **options), size) == answer


@each_case(
    "options, problem",
    [
        ({"design": "swiss", "opponents": 3}, "opponents is an option of design round_robin"),
        ({"rounds": 3}, "rounds is an option of the designs swiss and adaptive, not of round_robin"),
        ({"design": "swiss", "anchors": 3}, "anchors is an option of design anchor, not of swiss"),
        ({"design": "swiss", "orders": "a_only"}, "orders a_only goes with design round_robin"),
        ({"scores": "bradley_terry", "orders": "a_only"}, "orders a_only goes with design round_robin and scores wins"),
        ({"scores": "bradley_terry", "profile": "sp3f_official"}, "orders a_only goes with design round_robin"),
        ({"design": "adaptive", "orders": "balanced"}, "adaptive chooses the order of each question itself"),
        ({"design": "swiss", "rounds": 1}, "greater than or equal to 2"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, problem):
    with pytest.raises(ValidationError, match=problem):
        SPEC.config(judge="j", **options)


def test_an_answer_that_nobody_was_left_to_meet_has_no_value(scripted, win_rate):
    scores = win_rate(scripted(lambda a, b: Reply(error="down")), ["x", "xx", "xxx"], design="knockout")
    (alone,) = [score for score in scores if "it met nobody" in score.error]
    assert alone.value is None
    assert alone.info["calls"] == 0


@each_case("options", [{"design": "swiss"}, {"design": "swiss", "orders": "balanced"}, {"design": "adaptive"}])
def test_two_rounds_reach_everybody_whoever_wins_and_whatever_is_lost(options):
    for size, seed in product(range(2, 12), range(8)):
        chance = random.Random(seed)

        def says(first, second, chance=chance, loss=seed / 20):
            return None if chance.random() < loss else float(chance.random() < 0.7)

        rounds = played(size, says, rounds=2, **options)
        assert {place for pairs in rounds for pair in pairs for place in pair} == set(range(size))


def test_where_both_are_bad_neither_is_nearer_to_the_top():
    rounds = rounds_of(PairwiseOptions(judge="j", design="swiss", orders="balanced", rounds=2), list("abcd"))
    bad = {pair: PairVerdict(verdict="both_bad", first_wins=0.0, lost=1.0) for pair in next(rounds)}
    assert [frozenset(pair) for pair in rounds.send(bad)] == [frozenset("ac"), frozenset("bd")]


def test_the_bias_of_an_adaptive_tournament_is_that_of_the_fit(scripted, win_rate):
    def first_mostly(a, b):
        return r"\boxed{A}" if len(a) + 5 > len(b) else r"\boxed{B}"

    texts = ["x" * length for length in range(1, 9)]
    for scoring in ("wins", "bradley_terry"):
        group = win_rate(scripted(first_mostly), texts, design="adaptive", rounds=8, scores=scoring)[0].info["group"]
        low, high = group["position_bias_interval"]
        assert 0.3 < low < group["position_bias"] < high < 1.0
        assert group["design"] == "adaptive"
    plain = win_rate(scripted(first_mostly), texts)[0].info["group"]
    assert plain.keys().isdisjoint({"design", "position_bias_interval"})
