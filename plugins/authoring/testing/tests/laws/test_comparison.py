"""Two answers of a reward compared: values, abstentions, failures and info, of each completion of a call."""

from types import SimpleNamespace

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, RewardSpec, Score
from rewardlab.laws import Laws
from rewardlab_testing.laws.reward_laws.comparison import as_from_json, check_same
from rewardlab_testing.outcomes.outcome import LawViolation

ABSTENTION, FAILURE = Score(), Score(error="no luck")


def difference(first, then, info=True, scope="completion", **laws):
    """What a person is told, in lines; None where the two are the same."""
    spec = RewardSpec(name="made", summary="", build=Score, scope=scope, runs="async", laws=Laws(**laws))
    texts = [Completion(text=f"text {place}") for place in range(len(first))]
    try:
        check_same(SimpleNamespace(spec=spec), texts, first, then, how="again", expected="as before", info=info)
    except LawViolation as broken:
        return str(broken).splitlines()
    return None


def value(number, **info):
    return Score(value=number, info=info)


@each_case(
    "one, other, came, expected",
    [
        (value(0.5), value(0.25), "0.25", "0.5"),
        (ABSTENTION, value(0.0), "0.0", "an abstention"),
        (value(0.0), ABSTENTION, "an abstention", "0.0"),
        (FAILURE, value(0.0), "0.0", "a failure: no luck"),
        (FAILURE, ABSTENTION, "an abstention", "a failure: no luck"),
        (ABSTENTION, FAILURE, "a failure: no luck", "an abstention"),
    ],
)
def test_another_value_or_kind_of_answer_differs(one, other, came, expected):
    told = ["asked: 'text 0' again", f"got: {came}", f"expected: {expected}, as before"]
    assert difference([one], [other]) == told
    assert difference([one], [other], info=False) == told


def test_equal_answers_and_two_failures_are_the_same():
    for answer in (value(0.5, seen="a"), ABSTENTION, FAILURE):
        assert difference([answer], [answer]) is None
    assert difference([FAILURE], [Score(error="no luck at 0x7f")]) is None, "whatever the reason"


@pytest.mark.parametrize(
    ("one", "other", "came", "expected"),
    [
        ({"n": 1, "text": "a"}, {"n": 2, "text": "a"}, {"n": 2}, {"n": 1}),
        ({"text": "a"}, {"text": "a", "n": 2}, {"n": 2}, {}),
        ({"text": "a", "n": 2}, {"text": "a"}, {}, {"n": 2}),
    ],
)
def test_info_that_differs_is_told_and_no_more_of_it(one, other, came, expected):
    assert difference([value(0.5, **one)], [value(0.5, **other)]) == [
        "asked: 'text 0' again",
        f"got: 0.5 with info {came}",
        f"expected: 0.5 with info {expected}, as before",
    ]
    assert difference([Score(info=one)], [Score(info=other)])[1] == f"got: an abstention with info {came}"
    assert difference([value(0.5, **one)], [value(0.5, **other)], info=False) is None


def test_every_completion_is_compared():
    same = value(0.5, seen="a")
    assert difference([same, same, same], [same, same, value(0.25)])[0] == "asked: 'text 2' again"
    assert difference([same, same], [same, value(0.5, seen="b")])[0] == "asked: 'text 1' again"
    of_group = difference([same, same], [same, value(0.25)], scope="group")
    assert of_group[:2] == ["asked: 'text 1'", "  in a group at place 1, beside 'text 0'"]


def test_a_declared_rounding_makes_near_values_the_same_and_leaves_info_out():
    exact, near = value(0.5, last="5"), value(0.5 + 1e-5, last="50001")
    assert difference([exact], [near]) is not None
    assert difference([exact], [near], rounding=1e-6) is not None
    assert difference([exact], [near], rounding=1e-4) is None
    assert difference([exact], [value(0.5, last="6")], rounding=1e-9) is not None


def test_what_comes_back_from_another_process_is_what_json_makes_of_it():
    assert as_from_json(value(0.5, pair=(1, 2))) == value(0.5, pair=[1, 2])
    assert as_from_json(FAILURE) == FAILURE
