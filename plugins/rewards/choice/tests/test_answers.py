"""choice/accuracy on answers of many languages, scripts and forms: what scores, and what never does.

data/answers.jsonl has a line for each: a completion (`text`), how it is read (`extract`), the row's `choices` and right
`answer`, and what a careful reader takes it to name: a label, or why it names none (`no_answer`, `unreadable`,
`hedged`).
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Sample
from rewardlab_choice.accuracy import ChoiceAccuracy
from rewardlab_choice.answer_words import languages_of, lead
from rewardlab_choice.label_forms import other_forms, scripts
from rewardlab_choice.options import ChoiceOptions

ANSWERS = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "answers.jsonl").read_text("utf-8").splitlines()
]
FAULTS = ("no_answer", "unreadable", "hedged")


def scored(case):
    sample = Sample(id="s", fields={"answer": case["answer"], "choices": case["choices"]})
    [score] = ChoiceAccuracy(ChoiceOptions(extract=case["extract"])).score([(sample, Completion(text=case["text"]))])
    return score


@each_case("what", sorted({case["what"] for case in ANSWERS}))
def test_an_answer_names_what_a_careful_reader_takes_it_to_name(what):
    for case in (case for case in ANSWERS if case["what"] == what):
        score = scored(case)
        named = score.info["choice"] or [fault for fault in FAULTS if score.info.get(fault)]
        assert named in (case["names"], [case["names"]]), case
        assert score.value == float(case["names"] == case["answer"]), case


def test_there_are_as_many_answers_of_each_kind_as_told():
    kinds = Counter("right" if case["names"] == case["answer"] else "not right" for case in ANSWERS)
    assert kinds == {"right": 296, "not right": 287}


@pytest.mark.slow
def test_none_of_them_scores_where_another_choice_is_right():
    """What names a choice names no other one: of the same answer with any other gold nothing scores."""
    for case in ANSWERS:
        for label in case["choices"]:
            if label != case["names"]:
                assert scored(case | {"answer": label}).value == 0.0, (case, label)


def test_a_form_of_a_label_stands_for_one_label():
    for n in (2, 4, 8):
        forms = other_forms({letter: f"text {letter}" for letter in "ABCDEFGH"[:n]})
        assert {forms[form] for form in ("ب", "খ", "乙", "나", "в", "β")} == {"B"}
        assert "2" not in forms
    assert other_forms({"yes": "it is", "no": "it is not"}) == {}
    assert "ج" not in other_forms({"A": "ب", "B": "ج"})  # in a question about letters they are answers


def test_every_list_of_leads_is_read():
    assert languages_of("Antwort") == ("de",)
    assert set(languages_of("solution")) == {"en", "fr"}
    assert lead().match("die Antwort ist B") is None
    assert lead().search("die Antwort ist B").end() == len("die Antwort ist ")
    assert all(len(set(letters)) == len(letters) for letters in scripts().values())
