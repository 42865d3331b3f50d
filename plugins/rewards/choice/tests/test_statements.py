"""choice/accuracy with extract: last_label, on what responses say in words: in English at length, in 42 languages.

data/statements.jsonl has English responses with the label that each states, or null; data/leads.yaml the usual
sentences that state C, and those that deny it, in the languages of Global-MMLU.
"""

import json
from pathlib import Path

import pytest
import yaml
from helpers.each_case import each_case
from rewardlab import Sample
from rewardlab_choice.accuracy import WITHOUT_LEADS, without_leads
from rewardlab_choice.answer_words import has_leads, languages
from rewardlab_choice.options import ChoiceOptions
from rewardlab_choice.reading import read

DATA = Path(__file__).parent / "data"
STATEMENTS = [json.loads(line) for line in (DATA / "statements.jsonl").read_text("utf-8").splitlines()]
LEADS = yaml.load((DATA / "leads.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)
TRANSPORT = {"A": "a train", "B": "a car", "C": "a bike", "D": "a boat"}
GLOBAL_MMLU = """
am ar bn cs de el en es fa fil fr ha he hi id ig it ja ko ky lt mg ms ne nl ny pl pt ro ru si sn so sr sv sw te tr uk vi
yo zh
"""


def stated(text):
    labels = read(text, "last_label", TRANSPORT).labels
    return next(iter(labels), None)


@each_case("case", STATEMENTS)
def test_a_response_states_what_a_careful_reader_takes_it_to_state(case):
    assert stated(case["text"]) == case["names"]


def test_every_language_of_global_mmlu_has_leads_and_sentences():
    assert set(GLOBAL_MMLU.split()) == LEADS.keys() <= languages().keys()
    assert all(len(said["states"]) >= 5 and len(said["denies"]) >= 3 for said in LEADS.values())


@pytest.mark.slow
@each_case("language", sorted(LEADS))
def test_usual_sentences_of_a_language_state_a_choice(language):
    for sentence in LEADS[language]["states"]:
        for text in (sentence, f"Two wheels. {sentence}", f"\\boxed{{x^2}}\n\n{sentence}"):
            assert stated(text) == "C", text


@each_case("language", sorted(LEADS))
def test_a_choice_that_a_language_denies_is_not_stated(language):
    for sentence in LEADS[language]["denies"]:
        for text in (sentence, f"Two wheels. {sentence}", f"\\boxed{{x^2}}\n\n{sentence}"):
            assert stated(text) is None, text


@pytest.mark.slow
@each_case("language", sorted(languages()))
def test_no_word_that_denies_leaves_its_choice_stated(language):
    lists = languages()[language]
    lead, link, affirms = lists["leads"][0], lists.get("links", [":"])[0], lists["affirms"][0]
    for word in (*lists["not"], *lists.get("not_before", ())):
        for text in (f"{lead}: {word} C", f"{lead} {link} {word} C.", f"C {word} {affirms}.", f"{word} C {affirms}."):
            assert stated(text) is None, text
    for word in lists.get("not_before", ()):
        assert stated(f"{word} {lead} C.") is None or len(word) < 3, word  # "instead of answer C", but "no, answer C"
    for word in lists.get("not_behind", ()):
        assert stated(f"{lead}: C {word}.") is None, word


def test_a_word_that_joins_in_one_language_and_denies_in_another_denies():
    assert stated("Odgovor: ni C") is None  # Serbian for "nor", Swahili for "is"
    assert stated("ni C est la bonne réponse.") is None
    assert stated("Jibu: ni C") == "C"


def test_a_word_within_another_one_neither_states_nor_denies():
    assert stated("答え: 不正解 C") is None  # wrong; 正解 is right
    assert stated("නිවැරදි පිළිතුර: C") == "C"  # right; වැරදි is wrong


@each_case(
    "tag, known",
    [
        ("cs-CZ", True),
        ("zh_hans", True),
        ("Amharic", True),
        ("srp_Cyrl", True),
        ("tl", True),
        ("ka", False),
        ("", False),
    ],
)
def test_a_language_has_leads_by_each_of_its_names(tag, known):
    assert has_leads(tag) is known


def test_a_row_in_a_language_without_leads_is_told_of():
    georgian = Sample(id="s", fields={"answer": "A", "choices": TRANSPORT, "language": "ka"})
    assert without_leads(ChoiceOptions(extract="last_label"), georgian) == (WITHOUT_LEADS, "'ka'")
    assert without_leads(ChoiceOptions(extract="boxed"), georgian) is None
    assert without_leads(ChoiceOptions(extract="last_label"), Sample(id="s", fields={"language": "ky"})) is None
    assert without_leads(ChoiceOptions(extract="last_label"), Sample(id="s", fields={})) is None
