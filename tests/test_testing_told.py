"""Failing examples and summaries are written for people: what hides in a terminal shows, and reasons are said once."""

import pytest
from rewardlab.testing.outcome import Outcome, Tried
from rewardlab.testing.told import broken_text, failing, quoted, summary


@pytest.mark.parametrize(
    ("text", "shown"),
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


def test_a_failing_example_has_three_parts():
    assert str(failing("'a'", "1.0", "0.0")) == "asked: 'a'\ncame: 1.0\nexpected: 0.0"


def tried(example, **states):
    outcomes = [Outcome(law=law, state=state, why=why) for law, (state, why) in states.items()]
    return Tried(use="my/brevity", kind="reward", example=example, outcomes=outcomes)


def test_what_is_broken_is_told_with_the_law_in_words():
    text = broken_text(
        [
            tried("short", empty=("broken", "asked: ''\ncame: 1.0"), range=("held", "")),
            tried("", range=("off", "why not")),
        ]
    )
    assert text == (
        "my/brevity (short) breaks `empty`: the empty text does not earn the maximum\n    asked: ''\n    came: 1.0"
    )


def test_the_summary_counts_laws_over_examples_and_says_a_reason_once():
    lines = summary(
        [
            tried(
                "a", range=("held", ""), order=("untried", "no ranks"), ray=("untried", "no Ray"), info=("off", "so")
            ),
            tried(
                "b", range=("held", ""), order=("held", ""), ray=("untried", "no Ray"), padding=("untried", "no Ray")
            ),
        ]
    )
    assert lines == [
        "my/brevity (reward): 2 held, 1 off, 2 untried",
        "  ray, padding untried: no Ray",
        "  info off: so",
    ]
