"""Expected scores: the mean over the levels by token probabilities, and never the plain score in their place."""

import math

import pytest
from helpers.each_case import each_case
from rewardlab import Reply
from rewardlab_rubric.replies.expected import level_probabilities

SCALE = {str(number): f"level {number}" for number in range(1, 6)}


def tokens(*places):
    """Log-probabilities as servers send them: a text is certain, a mapping has its first token sampled."""
    content = []
    for place in places:
        others = {place: 1.0} if isinstance(place, str) else place
        top = [{"token": token, "logprob": math.log(p), "bytes": None} for token, p in others.items() if p]
        content.append({**top[0], "top_logprobs": top})
    return {"content": content}


def spelt(logprobs):
    return "".join(place["token"] for place in logprobs["content"])


def probabilities(labels, logprobs, marker='"score": ', text=None):
    text = spelt(logprobs) if text is None else text
    start = text.rindex(marker) + len(marker)
    return level_probabilities(logprobs, text, start + (text[start] == '"'), labels)


def reply(*places, **more):
    logprobs = tokens(*places)
    return Reply(text=spelt(logprobs), logprobs=logprobs, prompt_tokens=1, completion_tokens=1, **more)


@each_case(
    "places",
    [
        ('{"score": ', {"4": 0.6, "5": 0.3, "3": 0.1}, "}"),
        ('{"score":', {" 4": 0.6, " 5": 0.3, " 3": 0.1}, "}"),
        ('{"score": "', {"4": 0.6, "5": 0.3, "3": 0.1}, '"}'),
        ('{"score":', {' "4': 0.6, ' "5': 0.3, ' "3': 0.1}, '"}'),
        ('{"score": "', {'4"': 0.6, '5"': 0.3, '3"}': 0.1}, "}"),
        ("{", '"score', '":', " ", {"4": 0.6, "5": 0.3, "3": 0.1, "the": 0.0}, "}", "\n"),
    ],
)
def test_levels_of_one_token(places):
    found = probabilities(list(SCALE), tokens(*places))
    assert found == pytest.approx({"4": 0.6, "5": 0.3, "3": 0.1})


def test_probability_on_other_tokens_is_left_out():
    found = probabilities(list(SCALE), tokens('{"score": ', {"4": 0.6, "good": 0.2, "5": 0.2}, "}"))
    assert found == pytest.approx({"4": 0.75, "5": 0.25})


def test_labels_part_behind_what_is_common_to_them():
    labels = ["Response 1", "Response 2"]
    split = tokens('{"score": "', "Response", " ", {"2": 0.7, "1": 0.3}, '"}')
    assert probabilities(labels, split) == pytest.approx({"Response 2": 0.7, "Response 1": 0.3})
    joined = tokens('{"score": "', "Response", {" 2": 0.7, " 1": 0.3}, '"}')
    assert probabilities(labels, joined) == pytest.approx({"Response 2": 0.7, "Response 1": 0.3})


def test_labels_that_part_twice():
    labels = ["Assistant A", "Assistant B", "Tie", "Both Bad"]
    logprobs = tokens('{"score": "', {"Assistant": 0.8, "Tie": 0.15, "Both": 0.05}, {" B": 0.75, " A": 0.25}, '"}')
    expected = {"Assistant B": 0.6, "Assistant A": 0.2, "Tie": 0.15, "Both Bad": 0.05}
    assert probabilities(labels, logprobs) == pytest.approx(expected)


def test_a_branch_that_was_not_taken_says_nothing_of_its_labels():
    labels = ["Assistant A", "Assistant B", "Tie"]
    few = tokens('{"score": "', {"Tie": 0.97, "Assistant": 0.03}, '"}')
    assert probabilities(labels, few) == {"Tie": 1.0}
    many = tokens('{"score": "', {"Tie": 0.6, "Assistant": 0.4}, '"}')
    with pytest.raises(ValueError, match="begin several levels"):
        probabilities(labels, many)


def test_a_digit_that_begins_two_levels_is_refused_unless_the_next_one_tells():
    labels = [str(number) for number in range(11)]
    whole = tokens('{"score": ', {"10": 0.9, "9": 0.1}, "}")
    assert probabilities(labels, whole) == pytest.approx({"10": 0.9, "9": 0.1})
    digits = tokens('{"score": ', {"1": 0.9, "9": 0.1}, {"0": 0.8, "}": 0.2}, "}")
    assert probabilities(labels, digits) == pytest.approx({"10": 0.72, "9": 0.1, "1": 0.18})
    with pytest.raises(ValueError, match="begin several levels"):
        probabilities(labels, tokens('{"score": ', {"9": 0.9, "1": 0.1}, "}"))


def test_thoughts_that_the_server_parts_off_may_be_among_the_tokens():
    logprobs = tokens("I think ", '{"score": 3}', "</think>", '{"score": ', {"4": 0.5, "5": 0.5}, "}")
    assert probabilities(list(SCALE), logprobs, text='{"score": 4}') == pytest.approx({"4": 0.5, "5": 0.5})


@each_case(
    "logprobs, why",
    [
        (None, "no log-probabilities"),
        ({}, "no log-probabilities"),
        ({"content": None}, "no log-probabilities"),
        ({"content": []}, "no log-probabilities"),
        ({"content": [{"token": '{"score": 4}'}]}, "no log-probabilities"),
        ({"content": [{"token": '{"score": 4}', "logprob": math.nan}]}, "no log-probabilities"),
        ({"content": [{"token": "else", "logprob": -1.0}]}, "do not spell"),
        (tokens('{"score": ', {"4": 0.1, "none": 0.9}, "}"), r"only 0\.10 of the probability"),
    ],
)
def test_what_cannot_be_had_is_told(logprobs, why):
    with pytest.raises(ValueError, match=why):
        level_probabilities(logprobs, '{"score": 4}', 10, list(SCALE))


def test_pointwise_is_the_mean_over_the_levels(rubric, scripted):
    judge = scripted(lambda ask: reply('{"explanation": "so", "score": ', {"4": 0.5, "5": 0.25, "2": 0.25}, "}"))
    (found,) = rubric("pointwise", judge, ["7"], rubric=SCALE, expected=True)
    assert found.value == pytest.approx((4 * 0.5 + 5 * 0.25 + 2 * 0.25 - 1) / 4)
    assert found.info["raw"] == 4
    assert found.info["probabilities"] == pytest.approx({"4": 0.5, "5": 0.25, "2": 0.25})
    assert judge.asked[0].params == {"logprobs": True, "top_logprobs": 20}


@pytest.mark.parametrize("profile", ["strict", "r3_official", "mr3_official"])
def test_binary_is_the_probability_of_true(rubric, scripted, profile):
    judge = scripted(
        lambda ask: reply('{"explanation": "the score: none", "score": ', {"true": 0.8, "false": 0.2}, "}")
    )
    assert rubric("binary", judge, ["7"], expected=True, profile=profile)[0].value == pytest.approx(0.8)


def test_without_probabilities_there_is_no_score(rubric, scripted):
    judge = scripted(lambda ask: 4)
    (found,) = rubric("pointwise", judge, ["7"], rubric=SCALE, expected=True)
    assert (found.value, found.info["raw"]) == (None, 4)
    assert "no log-probabilities" in found.error
    scores = rubric("pairwise", scripted(lambda ask: "Response 1"), ["x", "y"], expected=True)
    assert [score.value for score in scores] == [None, None]
    assert "no log-probabilities" in scores[0].error


def test_pairwise_shares_are_means(rubric, scripted):
    likely = {"Assistant": 0.6, "Tie": 0.2, "Both": 0.2}
    judge = scripted(lambda ask: reply('{"score": "', likely, {" A": 0.5, " B": 0.5}, '"}'))
    for both_bad, value in (("zero", 0.4), ("half", 0.5), ("drop", 0.5)):
        scores = rubric("pairwise", judge, ["x", "y"], layout="mr3", ties=True, expected=True, both_bad=both_bad)
        assert [score.value for score in scores] == pytest.approx([value, value])
    seven = {str(number): "x" for number in range(1, 8)}
    judge = scripted(lambda ask: reply('{"score": ', {"1": 0.5, "4": 0.5}, "}"))
    first, second = rubric("pairwise", judge, ["x", "y"], rubric=seven, expected=True, orders="a_only")
    assert (first.value, second.value) == pytest.approx((0.75, 0.75))
