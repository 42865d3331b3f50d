"""What is read out of the `info` of a group's scores."""

from rewardlab import Score
from rewardlab_measure.judge_agreement.judge_verdicts import judge_calls


def group(*verdicts, **counts):
    return [Score(value=0.5, info={"verdicts": given, "group": counts, "calls": 99}) for given in verdicts]


def test_the_calls_of_a_group():
    """Three texts in both orders: 0 and 1 agreed on, 0 and 2 judged by place, 1 and 2 with a verdict too few."""
    found = judge_calls(
        group({"1": "A", "2": "A"}, {"0": "B", "2": "unparsable"}, {"0": "A", "1": "A"}, calls=6), "group"
    )
    assert found.verdicts == {(0, 1): "A", (0, 2): "A", (1, 0): "B", (1, 2): "unparsable", (2, 0): "A", (2, 1): "A"}
    assert found.decided() == [[(0, 1), (1, 0)], [(0, 2), (2, 0)]]
    assert found.lower_won() == [(True, True), (True, False)]
    assert found.counts == {"calls": 6}


def test_a_pair_asked_in_one_order_is_decided_by_its_one_verdict():
    found = judge_calls(group({"1": "A"}, {"2": "failed"}, {"0": "B"}), "group")
    assert found.decided() == [[(0, 1)], [(2, 0)]]
    assert found.lower_won() == []


def test_a_single_order_that_was_chosen_shows_no_habit():
    found = judge_calls(group({"1": "A", "2": "A"}, {"0": "B"}, {}, design="adaptive"), "group")
    assert found.decided() == [[(0, 1), (1, 0)]]


def test_counts_of_rewards_that_see_one_answer_at_a_time_add_up():
    scores = [Score(value=1.0, info={"tokens": 5, "unparsable": False}), Score(error="no", info={"unparsable": True})]
    assert judge_calls(scores, "completion").counts == {"tokens": 5, "unparsable": 1}


def test_a_reward_that_tells_nothing():
    found = judge_calls([Score(value=1.0, info={"calls": 3}), Score(error="no")], "group")
    assert (found.verdicts, found.counts, found.decided(), found.lower_won()) == ({}, {}, [], [])
