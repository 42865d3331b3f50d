"""rubric/pairwise is pairwise/win_rate with another question and reader: graded verdicts, ties, both bad."""

import pytest
from rewardlab import Context, Reply, find
from rewardlab_pairwise.pairwise_reward import PairwiseReward

SEVEN = {str(number): f"{number}" for number in range(1, 8)}


def preference(scores):
    """A reply by the two texts: scores[a, b]."""
    return lambda ask: scores[ask.parts["a"], ask.parts["b"]]


def values(scores):
    return [score.value for score in scores]


def test_both_share_the_machinery():
    for use, options in (("pairwise/win_rate", {}), ("rubric/pairwise", {})):
        spec = find("reward", use)
        reward = spec.build(spec.config(judge="j", **options), Context(judges={"j": None}))
        assert isinstance(reward, PairwiseReward)
        assert type(reward).score is PairwiseReward.score
        assert spec.calls(spec.config(judge="j", orders="balanced"), 8) == 28
        assert spec.calls(spec.config(judge="j", design="adaptive"), 8) == 24
        assert "at most 7 rounds" in spec.refuses_size(spec.config(judge="j", design="swiss", rounds=9), 8)


def test_the_better_one_wins_in_both_orders(rubric, scripted):
    judge = scripted(lambda ask: "Response 1" if len(ask.parts["a"]) > len(ask.parts["b"]) else "Response 2")
    scores = rubric("pairwise", judge, ["xx", "x", "xxx"])
    assert values(scores) == [0.5, 0.0, 1.0]
    assert scores[0].info["verdicts"] == {"1": "A", "2": "B"}
    assert scores[0].info["raw"] == {"1": "Response 1", "2": "Response 2"}
    assert scores[0].info["explanation"] == {"1": "so", "2": "so"}
    assert scores[0].info["group"]["calls"] == 6


@pytest.mark.parametrize("score", range(1, 8))
def test_on_the_scale_of_seven_the_first_gets_its_share(rubric, scripted, score):
    judge = scripted(preference({("x", "y"): score, ("y", "x"): 8 - score}))
    first, second = rubric("pairwise", judge, ["x", "y"], rubric=SEVEN)
    assert first.value == pytest.approx((7 - score) / 6)
    assert first.value + second.value == pytest.approx(1.0)
    assert first.info["verdicts"] == {"1": "A" if score < 4 else "tie" if score == 4 else "B"}
    assert first.info["group"]["position_bias"] == (None if score == 4 else 0.0)


def test_both_orders_of_a_scale_are_averaged(rubric, scripted):
    judge = scripted(preference({("x", "y"): 1, ("y", "x"): 4}))
    assert values(rubric("pairwise", judge, ["x", "y"], rubric=SEVEN)) == [0.75, 0.25]
    judge = scripted(preference({("x", "y"): 1, ("y", "x"): 4}))
    assert values(rubric("pairwise", judge, ["x", "y"], rubric=SEVEN, orders="a_only")) == [1.0, 0.5]


def test_graded_verdicts_count_by_their_shares_in_a_fit_of_strengths(rubric, scripted):
    said = {("x", "y"): 3, ("y", "x"): 5, ("x", "z"): 1, ("z", "x"): 7, ("y", "z"): 2, ("z", "y"): 6}
    options = {"rubric": SEVEN, "design": "adaptive", "rounds": 6}
    scores = rubric("pairwise", scripted(preference(said)), ["x", "y", "z"], **options)
    x, y, z = values(scores)
    assert x > 0.6 > y > 0.4 > z
    assert x + y + z == pytest.approx(1.5)
    assert scores[0].info["group"]["calls"] == 6
    low, high = scores[0].info["group"]["position_bias_interval"]
    assert low < 0.0 < high
    assert scores[0].info["group"]["position_bias"] == pytest.approx(0.0, abs=1e-9)


def test_a_tie_is_a_half_each_and_understood(rubric, scripted):
    judge = scripted(lambda ask: "Tie")
    scores = rubric("pairwise", judge, ["x", "y"], layout="mr3", ties=True)
    assert values(scores) == [0.5, 0.5]
    assert judge.understood_ == [True, True]
    assert scores[0].info["unparsable"] == 0
    assert scores[0].info["group"]["ties"] == 1


@pytest.mark.parametrize(("both_bad", "expected"), [("zero", [0.0, 0.0]), ("half", [0.5, 0.5]), ("drop", [None, None])])
def test_both_bad(rubric, scripted, both_bad, expected):
    judge = scripted(lambda ask: "Both Bad")
    scores = rubric("pairwise", judge, ["x", "y"], layout="mr3", ties=True, both_bad=both_bad)
    assert values(scores) == expected
    assert judge.understood_ == [True, True]
    assert scores[0].info["verdicts"] == {"1": "both_bad"}
    assert scores[0].info["group"]["unparsable"] == 0
    assert scores[0].info["group"]["intransitive"] == 0


def test_where_both_are_bad_neither_has_beaten_the_other(rubric, scripted):
    judge = scripted(lambda ask: "Both Bad")
    scores = rubric("pairwise", judge, ["x", "y", "z"], layout="mr3", ties=True, both_bad="zero")
    assert scores[0].info["losses"] == 2
    group = scores[0].info["group"]
    assert (group["ties"], group["intransitive"], group["triples"]) == (3, 0, 1)


def test_both_bad_in_one_order_alone(rubric, scripted):
    said = {("x", "y"): "Both Bad", ("y", "x"): "Assistant B"}  # x wins the second
    assert values(rubric("pairwise", scripted(preference(said)), ["x", "y"], layout="mr3", ties=True)) == [0.5, 0.0]
    dropped = rubric("pairwise", scripted(preference(said)), ["x", "y"], layout="mr3", ties=True, both_bad="drop")
    assert values(dropped) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("on_unparsable", "expected"), [("half", [0.5, 0.5]), ("loss", [0.5, 0.5]), ("drop", [None, None])]
)
def test_a_level_that_the_rubric_does_not_have_is_unparsable(rubric, scripted, on_unparsable, expected):
    judge = scripted(lambda ask: "Tie")  # R3's rubric knows no tie
    scores = rubric("pairwise", judge, ["x", "y"], on_unparsable=on_unparsable)
    assert values(scores) == expected
    assert judge.understood_ == [False, False]
    assert scores[0].info["group"]["unparsable"] == 2
    assert scores[0].info["raw"] == {"1": "Tie"}


def test_a_failed_call_is_no_score(rubric, scripted):
    scores = rubric("pairwise", scripted(lambda ask: Reply(error="HTTP 503")), ["x", "y"])
    assert values(scores) == [None, None]
    assert "HTTP 503" in scores[0].error


def test_the_sides_are_called_what_the_rubric_calls_them(rubric, scripted):
    judge = scripted(lambda ask: "Tie")
    rubric("pairwise", judge, ["x", "y"], layout="mr3", ties=True)
    system, user = judge.asked[0].messages
    assert user["content"].index("# Assistant A\n=== BEGIN ASSISTANT A") < user["content"].index("# Assistant B\n")
    assert '"enum": ["Assistant A", "Assistant B", "Tie", "Both Bad"]' in system["content"]
    rubric("pairwise", judge, ["x", "y"], layout="mr3")
    assert '"enum": ["Assistant A", "Assistant B"]' in judge.asked[-1].messages[0]["content"]
    rubric("pairwise", judge, ["x", "y"], strategy="tgt-eng", fields={"language": "de"})
    assert '"enum": ["Assistant A", "Assistant B"]' in judge.asked[-1].messages[0]["content"]
    rubric("pairwise", judge, ["x", "y"])
    assert "### Response 1\n=== BEGIN RESPONSE 1 " in judge.asked[-1].messages[0]["content"]


def test_ties_are_of_the_packaged_rubric_of_mr3(rubric, scripted):
    for options in ({}, {"layout": "mr3", "rubric": SEVEN}):
        with pytest.raises(ValueError, match="ties goes with the packaged rubric of layout mr3"):
            rubric("pairwise", scripted(lambda ask: "Tie"), ["x", "y"], ties=True, **options)
