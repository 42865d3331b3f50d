"""Failing examples and summaries are written for people: what hides in a terminal shows, and reasons are said once."""

from helpers.each_case import each_case
from rewardlab_testing.outcomes.law_words import REWARD
from rewardlab_testing.outcomes.messages import (
    NOT_MEANT_FOR,
    broken_text,
    cut,
    quoted,
    remedy_text,
    untried_laws,
    violation,
)
from rewardlab_testing.outcomes.outcome import LawOutcome, TrialResult


@each_case(
    "text, shown",
    [
        ("", "''"),
        ("a\nb", r"'a\nb'"),
        ("答え", "'答え'"),
        ("a\u202eb", r"'a\u202eb'"),
        ("e\u0301", r"'e\u0301'"),
        ("👩\u200d👧", r"'\U0001f469\u200d\U0001f467'"),
        ("\ud800\0", r"'\ud800\x00'"),
        ("x" * 160, repr("x" * 160)),
        ("a" * 500 + "b" * 1_000, f"'{'a' * 80}' ... '{'b' * 80}' (1,500 characters)"),
        ("a" * 400 + "\u202e", f"'{'a' * 80}' ... '{'a' * 79}\\u202e' (401 characters)"),
    ],
)
def test_texts_are_quoted_so_that_everything_shows(text, shown):
    assert quoted(text) == shown


def test_a_long_value_is_cut():
    assert cut({"a": 1}) == "{'a': 1}"
    assert cut([0] * 400, most=9) == "[0, 0, ...  0] (1,200 characters)"


def test_a_failing_example_has_three_parts():
    assert str(violation("'a'", "1.0", "0.0")) == "asked: 'a'\ngot: 1.0\nexpected: 0.0"


def tried(example, **states):
    outcomes = [LawOutcome(law=law, state=state, why=why) for law, (state, why) in states.items()]
    return TrialResult(use="my/brevity", kind="reward", example=example, outcomes=outcomes)


def test_what_is_broken_is_told_with_the_law_in_words():
    text = broken_text(
        [
            tried("short", empty=("broken", "asked: ''\ngot: 1.0"), range=("held", "")),
            tried("", range=("off", "why not")),
        ]
    )
    assert text == (
        "my/brevity (short) breaks `empty`: the empty text does not earn the maximum\n    asked: ''\n    got: 1.0"
    )


def test_a_law_that_is_for_every_reward_has_no_remedy_but_mending_it():
    assert set(NOT_MEANT_FOR) <= set(REWARD)
    assert remedy_text([tried("", range=("broken", "so"), empty=("held", ""))]) == ""
    assert remedy_text([tried("", range=("broken", "so"), empty=("broken", ""))]).splitlines() == [
        "fix the reward; or, if a law is not meant for it, say why in its spec: Laws(off={'empty': 'why'})",
        "  empty: not for a penalty, which has nothing to punish in an empty text",
    ]


def test_a_component_of_which_all_laws_held_is_not_told():
    assert untried_laws([tried("a", range=("held", ""), arrival=("nothing", "it is not of group scope"))]) == []


def test_another_is_told_in_one_line_with_each_reason_once():
    lines = untried_laws(
        [
            tried(
                "a", range=("held", ""), order=("untried", "no ranks"), ray=("untried", "no Ray"), info=("off", "so")
            ),
            tried(
                "b", range=("held", ""), order=("held", ""), ray=("untried", "no Ray"), padding=("untried", "no Ray")
            ),
        ]
    )
    assert lines == ["my/brevity (reward): 2 held; ray, padding not tried (no Ray); info off (so)"]


def test_where_nothing_could_be_tried_the_reason_is_enough():
    lines = untried_laws([tried("", range=("untried", "needs model=..."), order=("untried", "needs model=..."))])
    assert lines == ["my/brevity (reward): not tried (needs model=...)"]
