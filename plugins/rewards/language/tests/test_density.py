"""The gate asks the same of every language: the same mixture has about the same share in all of them."""

from statistics import mean

import pytest
from helpers.each_case import each_case
from rewardlab_language.density import DENSITY, density_of
from rewardlab_language.languages import SCRIPTS

ENGLISH = "Now let us check the result."


def test_every_language_has_a_density():
    assert DENSITY.keys() == SCRIPTS.keys()
    assert DENSITY["en"] == 100


def test_a_script_says_what_its_languages_do_on_average():
    assert density_of("Hang") == DENSITY["ko"]
    assert density_of("Hani") == round((DENSITY["zh"] + DENSITY["ja"]) / 2)
    assert density_of("other") == density_of("mixed") == 100


@pytest.mark.parametrize("language", ["zh", "ja", "ko"])
def test_one_english_sentence_in_five_passes_the_gate(language, four_sentences, share, fidelity):
    mixture = " ".join([*four_sentences[language], ENGLISH])
    assert share(mixture, language) >= 0.78
    assert fidelity(mixture, language).value == 1.0


@pytest.mark.parametrize("language", ["zh", "ja", "ko"])
def test_two_english_sentences_to_two_do_not_pass(language, four_sentences, fidelity):
    mixture = " ".join([*four_sentences[language][:2], *four_sentences["en"][1:]])
    assert fidelity(mixture, language).value == 0.0


def test_the_same_mixture_has_about_the_same_share_in_all_languages(four_sentences, share):
    shares = {
        language: share(" ".join([*sentences, ENGLISH]), language)
        for language, sentences in four_sentences.items()
        if language != "en"
    }
    middle = mean(shares.values())
    assert middle == pytest.approx(0.74, abs=0.01)
    assert all(abs(value - middle) <= 0.075 for value in shares.values())  # what is left is the sentences' own wording
    assert sum(abs(value - middle) <= 0.03 for value in shares.values()) >= 60


@each_case("tag", ["no", "zh", "ja", "ko"])
def test_a_pure_text_has_exactly_all_of_it(tag, four_sentences, share):
    assert share(" ".join(four_sentences["nb" if tag == "no" else tag]), tag) == 1.0
