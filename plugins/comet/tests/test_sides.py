"""Which two texts are compared."""

import pytest
from rewardlab_comet.sides import NoReference, predicted, referred, same

RESPONSE = "<think> four and four </think>\n<answer> 8 </answer>"


@pytest.mark.parametrize(
    ("part", "text"), [("answer", "8"), ("reasoning", "four and four"), ("response", "<answer> 8 </answer>")]
)
def test_a_response_is_read_by_its_part_on_both_sides(part, text):
    assert predicted(RESPONSE, part) == text
    assert referred(RESPONSE, part, "reference") == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        *(
            ("answer", "8"),
            ("answer", ""),
            ("answer", "<answer> \n </answer>"),
            ("answer", "<answer>8</answer></think>"),
        ),
        *(("reasoning", "8"), ("reasoning", "<think> </think>8"), ("response", "<think>x</think> "), ("response", "")),
    ],
)
def test_a_part_that_is_missing_or_blank_is_empty(part, text):
    assert predicted(text, part) == ""


@pytest.mark.parametrize("part", ["answer", "reasoning", "response"])
def test_a_reference_without_tags_is_taken_whole(part):
    assert referred(" The answer is 8. ", part, "solution") == "The answer is 8."


@pytest.mark.parametrize(
    ("value", "part", "why"),
    [
        *((None, "answer", "field 'solution' holds NoneType"), (8, "answer", "field 'solution' holds int")),
        *(("", "answer", "is empty"), (" \n", "response", "is empty"), ("<answer> </answer>", "answer", "no answer")),
        *(
            ("<answer>8</answer>", "reasoning", "has tags but no reasoning"),
            ("<think>x</think>", "answer", "no answer"),
        ),
    ],
)
def test_a_reference_without_the_part_is_the_datas_fault(value, part, why):
    with pytest.raises(NoReference, match=why):
        referred(value, part, "solution")


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [("(B)", "(b)"), ("٨", "8"), ("８.", "8"), ("८", "8"), ("$37.50", " $37.50. "), ("8 。", "8"), ("x\n y", "X y")],
)
def test_equal_after_normalisation(prediction, reference):
    assert same(prediction, reference)


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [("8", "9"), ("-8", "8"), ("8.5", "85"), ("", ""), (".", "."), ("12", "1 2"), ("B", "(B)")],
)
def test_different_after_normalisation(prediction, reference):
    assert not same(prediction, reference)
