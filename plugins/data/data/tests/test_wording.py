"""The wording of word problems: every language says the same, in grammar that holds for every number."""

import re
import string
from typing import get_args

import pytest
from helpers.each_case import each_case
from rewardlab_data.options import Language
from rewardlab_data.wording import STEPS, WordProblem, names, wordings

LANGUAGES = list(wordings())


def problem(**changes):
    values = {"language": "en", "operation": "add", "a": 3, "b": 4, "name": "Rosa", "noun": 0, "template": 0}
    return WordProblem(**values | changes)


def placeholders(template):
    return sorted(name for _, name, _, _ in string.Formatter().parse(template) if name)


def test_the_options_offer_the_languages_that_have_a_wording():
    assert list(get_args(Language)) == LANGUAGES


@each_case("language", LANGUAGES)
def test_languages_match_each_other(language):
    """Nouns and sentences are at the same index everywhere, so that languages can be mixed in one text."""
    wording, english = wordings()[language], wordings()["en"]
    assert len(wording.nouns) == len(english.nouns)
    assert len(set(wording.nouns)) == len(wording.nouns)
    for operation in ("add", "sub"):
        assert len(wording.questions[operation]) == len(english.questions[operation])
        assert len(wording.steps[operation]) == STEPS
        for template in wording.questions[operation]:
            assert {"name", "a", "b", "things"} <= set(placeholders(template))
            assert {"c", "ans"}.isdisjoint(placeholders(template)), "a question does not tell its answer"
        numbers = [set(placeholders(step)) & {"a", "b", "c", "ans"} for step in wording.steps[operation]]
        assert numbers == [{"a"}, {"b"}, {"a", "b", "c"}, {"ans"}]


@each_case("language", LANGUAGES)
def test_every_sentence_can_be_told_from_every_other_language(language):
    own = {s for steps in wordings()[language].steps.values() for s in steps}
    others = {s for o in LANGUAGES if o != language for steps in wordings()[o].steps.values() for s in steps}
    assert not own & others


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("operation", ["add", "sub"])
def test_a_solution_ends_in_the_right_box_after_the_calculation(language, operation):
    text = problem(language=language, operation=operation, a=9, b=1).solution(language)
    result, sign = (10, "+") if operation == "add" else (8, "-")
    assert text.endswith(f"\\boxed{{{result}}}.")
    assert f"9 {sign} 1 = {result}" in text
    assert text.count("\\boxed") == 1
    assert len(re.findall(r"[.](?= |$)", text)) == STEPS


def test_a_noun_agrees_with_its_number():
    assert "holds 1 bottle, and" in problem(a=1, noun=2, template=1).question()
    assert "holds 2 bottles, and" in problem(a=2, noun=2, template=1).question()
    assert problem(a=1, noun=2).solution("de").startswith("Am Anfang haben wir 1 Flasche.")
    assert problem(a=2, noun=2).solution("de").startswith("Am Anfang haben wir 2 Flaschen.")
    assert "1 şişe" in problem(a=1, noun=2, language="tr").question()
    assert "5 şişe, " in problem(a=5, noun=2, language="tr").question()


def test_sentences_of_several_languages_can_be_mixed():
    text = problem().reasoning(["de", "en", "de", "en"], result=4, boxed=False)
    assert text == (
        "Am Anfang haben wir 3 Bananen. After that we count 4 more. Daraus folgt 3 + 4 = 7. The final result is 4."
    )


def test_names_work_in_every_sentence():
    """A name that begins with a vowel would need an elision in French, a suffix none of them has."""
    assert len(set(names())) == len(names()) >= 8
    assert not [name for name in names() if name[0] in "AEIOUYH"]
