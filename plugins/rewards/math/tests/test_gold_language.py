r"""Right answers in a notation of their own: English ones in the rows of thirty languages."""

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Sample
from rewardlab_math.accuracy import Accuracy
from rewardlab_math.numerals import writes_decimal_point
from rewardlab_math.options import AccuracyOptions

CODES = """
af am ar bg bn cs da de el en es fa fi fr gu he hi id it ja ko ms nl pl pt ru sw th tr zh
"""
LANGUAGES = CODES.split()
WRONG = [
    ("1,200", "1.2"),
    ("1.125", "1125"),
    ("10,080", "10.08"),
    ("3.141", "3141"),
    ("2,5", "2.5"),
    ("1,200", "12"),
    ("(0,1)", "0.1"),
]
WRONG_IN_COMMAS = [("1,200", "1,2"), ("10,080", "10,08"), ("1.125", "1125,0"), ("3.141", "3141,0")]
RIGHT = [("1,200", "1200"), ("10,080", "10080"), ("3.141", "3.141"), ("1.125", r"\frac{9}{8}"), ("(0,1)", "(0; 1)")]
RIGHT_IN_COMMAS = [("1,200", "1.200"), ("1.125", "1,125"), ("3.141", "3,141"), ("1,234.5", "1.234,5")]


def score(gold, answer, language, said="en", **options):
    fields = {"answer": gold, "language": language} | ({"answer_language": said} if said else {})
    reward = Accuracy(AccuracyOptions(**options))
    [found] = reward.score([(Sample(id="1", prompt="?", fields=fields), Completion(text=rf"\boxed{{{answer}}}"))])
    return found.error or found.value


@pytest.mark.slow
def test_an_english_gold_means_the_same_in_every_language():
    for language in LANGUAGES:
        assert {(gold, answer): score(gold, answer, language) for gold, answer in WRONG} == dict.fromkeys(WRONG, 0.0), (
            language
        )
        assert {(gold, answer): score(gold, answer, language) for gold, answer in RIGHT} == dict.fromkeys(RIGHT, 1.0), (
            language
        )
        if not writes_decimal_point(language):
            cases = dict.fromkeys(WRONG_IN_COMMAS, 0.0) | dict.fromkeys(RIGHT_IN_COMMAS, 1.0)
            assert {(gold, answer): score(gold, answer, language) for gold, answer in cases} == cases, language


LISTED = [("de", "oder"), ("fr", "et"), ("es", "y"), ("it", "o"), ("pt", "e"), ("ru", "или"), ("zh", "或")]
LISTED += [("th", "และ"), ("ja", "または"), ("ar", "أو"), ("hi", "या")]


@each_case("language, word", LISTED)
def test_two_answers_joined_by_a_word_are_a_list(language, word):
    joined = rf"\text{{ {word} }}"
    assert score("2,5", f"2{joined}5", language) == 1.0
    assert score("2,5", f"x=2 {joined} x=5", language) == 1.0
    assert score("2.5", f"2{joined}5", language) == 0.0
    assert score("2,5", f"2{joined}6", language) == 0.0


def test_the_row_says_or_the_recipe_or_the_row_s_own_language():
    assert score("1,200", "1,2", "de", said=None) == 1.0
    assert score("1,200", "1,2", "de", said=None, gold_language="en") == 0.0
    assert score("1,200", "1,2", "de", said="de", gold_language="en") == 1.0
    assert score("1,200", "1,2", "de", said="English") == 0.0


@each_case("answer", ["0,125", "12,5", r"12{,}5\,\%", r"\frac{1}{8}"])
def test_a_decimal_comma_may_stand_before_a_unit(answer):
    assert score(r"12,5\,\%", answer, "de", said="de") == 1.0
    assert score("12,5 km", answer, "de", said="de") == float(answer == "12,5"), "another unit is none of it"


def test_the_field_is_named_after_the_gold_s():
    fields = {"solution": "1,200", "solution_language": "en", "language": "fr"}
    reward = Accuracy(AccuracyOptions(field="solution"))
    [found] = reward.score([(Sample(id="1", prompt="?", fields=fields), Completion(text=r"\boxed{1,2}"))])
    assert found.value == 0.0


@pytest.mark.parametrize("said", [7, " ", ["en"]])
def test_a_language_that_is_none_is_a_failure_of_the_row(said):
    assert "field 'answer_language'" in score("1,200", "1,2", "de", said=said)
