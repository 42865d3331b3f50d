"""The fields that a row of the English source must have, and the problems that are kept for tests."""

import re

import pytest
from helpers.each_case import each_case
from rewardlab import Sample
from rewardlab.errors import UserError
from rewardlab_language.source_problem import UntranslatableRow, read_problem

PROMPT = ({"role": "user", "content": "How many apples?"},)
FIELDS = {"reference": "There are 7.", "answer": "7"}


def sample(**change):
    return Sample(**{"id": "p", "prompt": PROMPT, "fields": FIELDS, "source": "english.jsonl:9", **change})


def test_a_problem_its_solution_and_its_answer():
    found = read_problem(sample())
    assert (found.id, found.problem, found.solution, found.answer) == ("p", "How many apples?", "There are 7.", "7")


@each_case("answer, text", [(7, "7"), (2.5, "2.5"), (" 7\n", "7"), (r"\frac{1}{2}", r"\frac{1}{2}")])
def test_numbers_and_texts_are_answers(answer, text):
    assert read_problem(sample(fields={**FIELDS, "answer": answer})).answer == text


def test_a_system_message_is_no_part_of_the_problem():
    found = read_problem(sample(prompt=({"role": "system", "content": "Reason."}, *PROMPT)))
    assert found.problem == "How many apples?"


@each_case(
    "change, message",
    [
        ({"fields": {"answer": "7"}}, "no reference; map a column with `fields: {reference: <column>}`"),
        ({"fields": {"reference": "So 7."}}, "no answer; map a column"),
        ({"fields": {"reference": "So 7.", "answer": None}}, "no answer; map a column"),
        ({"fields": {"reference": "So 7.", "answer": True}}, "answer must be a text, not bool"),
        ({"fields": {"reference": ["So 7."], "answer": "7"}}, "reference must be a text, not list"),
        ({"prompt": ({"role": "assistant", "content": "Hi"},)}, "the prompt must be one user message"),
        ({"prompt": (*PROMPT, *PROMPT)}, "the prompt must be one user message"),
    ],
)
def test_what_cannot_be_read_is_the_users_mistake_at_its_place(change, message):
    with pytest.raises(UserError, match=re.escape(f"english.jsonl:9: {message}")):
        read_problem(sample(**change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fields": {**FIELDS, "reference": " \n"}}, "the reference solution is blank"),
        ({"fields": {**FIELDS, "answer": ""}}, "the answer is blank"),
        ({"prompt": ({"role": "user", "content": " "},)}, "the problem is blank"),
    ],
)
def test_a_blank_row_is_of_no_use(change, message):
    with pytest.raises(UntranslatableRow, match=message):
        read_problem(sample(**change))


def test_white_space_the_id_and_the_solution_do_not_move_a_problem():
    for k in range(50):
        plain = read_problem(sample(prompt=({"role": "user", "content": f"Is {k} even?"},)))
        other = read_problem(
            sample(
                id="q",
                prompt=({"role": "user", "content": f"  Is {k}\n even? "},),
                fields={"reference": "Yes.", "answer": "yes"},
            )
        )
        assert plain.is_test(0.5) == other.is_test(0.5)


def test_a_larger_share_keeps_the_test_problems_of_a_smaller_one():
    problems = [read_problem(sample(prompt=({"role": "user", "content": f"Is {k} even?"},))) for k in range(2000)]
    small, large = ({p.problem for p in problems if p.is_test(share)} for share in (0.05, 0.2))
    assert small < large
    assert 60 < len(small) < 140
    assert 340 < len(large) < 460
    assert not any(p.is_test(0.0) for p in problems)
    assert all(p.is_test(1.0) for p in problems)
