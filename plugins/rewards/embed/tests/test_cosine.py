"""embed/cosine: which texts are compared, what a score and its info say. The real model: test_embedding_worker.py."""

import pytest
from rewardlab import Score

GOOD = "<think>first we add three and four</think><answer>seven books</answer>"


def test_the_reasoning_is_compared_with_the_references(built, opened):
    (score,) = built("cosine")(GOOD)
    assert score == Score(value=pytest.approx(1.0), info={"raw": pytest.approx(1.0)})
    assert opened.words.asked == [("first we add three and four", "first we add three and four")]


def test_scores_are_in_the_order_of_the_items(built):
    texts = ["<think>we add</think>", "no tags", "<think>else</think>", GOOD]
    values = [score.value for score in built("cosine")(*texts)]
    assert values[1:] == [0.0, 0.0, pytest.approx(1.0)]
    assert 0 < values[0] < 1


def test_another_part_and_another_field(built, opened):
    built("cosine", part="answer", against="solution")("<answer>nine</answer>", solution="seven")
    assert opened.words.asked == [("nine", "seven")]


def test_a_negative_cosine_counts_zero_and_stays_in_info(built, words):
    def negative(a, b):
        return {"cosine": -0.25, "cut": [0, 0]}

    assert built("cosine", workers=words(negative))(GOOD) == [Score(value=0.0, info={"raw": -0.25})]
    assert built("cosine", workers=words(negative), clamp=False)(GOOD) == [Score(value=-0.25, info={"raw": -0.25})]


@pytest.mark.parametrize(
    ("cut", "expected"),
    [([5, 0], {"prediction": 5}), ([0, 3], {"reference": 3}), ([5, 3], {"prediction": 5, "reference": 3})],
)
def test_tokens_that_were_cut_are_counted_in_info(built, words, cut, expected):
    (score,) = built("cosine", workers=words(lambda a, b: {"cosine": 0.5, "cut": cut}))(GOOD)
    assert score.info == {"raw": 0.5, "cut": expected}


@pytest.mark.parametrize("text", ["no tags", "<think> \n</think>x", ""])
def test_an_empty_part_is_zero_or_a_failure_and_never_embedded(built, opened, text):
    assert built("cosine")(text) == [Score(value=0.0, info={"empty": "reasoning"})]
    (score,) = built("cosine", empty="fail")(text)
    assert (score.value, score.error) == (None, "the response has no reasoning, or a blank one")
    assert opened.words.asked == []


@pytest.mark.parametrize("text", [GOOD, "no tags"])
def test_an_empty_reference_is_a_failure_whatever_the_response(built, text):
    (score,) = built("cosine", empty="zero")(text, reference="<think></think><answer>7</answer>")
    assert score.value is None
    assert "the reference in field 'reference' has no reasoning" in score.error


def test_a_text_without_an_embedding_fails_alone(built, words):
    def says(a, b):
        return {"error": "its embedding is not finite", "of": "a"} if a == "bad" else None

    bad, good = built("cosine", workers=words(says))("<think>bad</think>", GOOD)
    assert (bad.value, bad.error) == (None, "no embedding of the prediction: its embedding is not finite")
    assert good.value == pytest.approx(1.0)
