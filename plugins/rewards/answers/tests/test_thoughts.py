"""Thoughts that a model left in its text, by the marks of many models."""

import pytest
from helpers.each_case import each_case
from helpers.long_texts import assert_linear
from rewardlab_answers import thoughts_of, without_thoughts

HARMONY = ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>")
MARKS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<Thought>", "</Thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|im_start|>think", "<|im_start|>answer"),
    ("<|channel>thought", "<channel|>"),
    ("<unused94>", "<unused95>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|assistant|>\n<think>", "</think>"),
    ("<|channel|>analysis", "<|channel|>final"),
    HARMONY,
    (f"<|start|>assistant{HARMONY[0]}", HARMONY[1]),
    (HARMONY[0], "<|end|>"),
    (HARMONY[0], "<|channel|>final <|constrain|>JSON<|message|>"),
    ("analysis", "assistantfinal"),
]


@each_case("begin, end", MARKS)
def test_what_follows_thoughts_is_said(begin, end):
    for before in ("", "\n "):
        text = f"{before}{begin} I compare. {end}\nsaid"
        thoughts = thoughts_of(text)
        assert thoughts.begin_it
        assert not thoughts.unfinished
        assert without_thoughts(text) == "\nsaid"
        assert text[thoughts.ends[-1][1] :] == "\nsaid"
        assert thoughts.first_words <= thoughts.ends[-1][1]
        assert thoughts.last_end < len(text) - len("said")


@each_case("begin, end", [one for one in MARKS if one[0] != "analysis"])
def test_thoughts_without_an_end_are_unfinished_also_behind_others(begin, end):
    assert thoughts_of(f"{begin} I compare").first_words is None
    assert without_thoughts(f"{begin} I compare") == ""
    assert thoughts_of(f"<think>Well.</think>\n{begin} I compare").unfinished
    assert thoughts_of(f"{begin} I compare. {end} said").first_words is not None


@each_case("end", [end for begin, end in MARKS if begin not in (HARMONY[0], "analysis") or "final<" in end])
def test_a_prompt_may_have_begun_the_thoughts(end):
    thoughts = thoughts_of(f"I compare. {end}\nsaid")
    assert (thoughts.begin_it, thoughts.unfinished, thoughts.first_words) == (False, False, 0)
    assert thoughts.ends


@each_case(
    "text",
    [
        "",
        "said",
        "said<|end|>",
        "said<|end|><|start|>user<|message|>Next",
        "analysis: it is good",
        "the assistantfinal word",
        "It thinks <think> where nobody ends it.",
        "[think]",
        "<analysis> it is good",
        "Let me see... done. I am thinking.",
        "a < b and c > d",
        "<thinkers>",
        "</thinker>",
    ],
)
def test_other_texts_have_none(text):
    thoughts = thoughts_of(text)
    assert (thoughts.begin_it, thoughts.ends, thoughts.first_words) == (False, (), 0)
    assert without_thoughts(text) == text


@each_case(
    "text",
    ["<analysis>I compare.</analysis>said", "<scratchpad>a</scratchpad>said", "Thinking...\na\n...done thinking.said"],
)
def test_some_marks_only_end_thoughts(text):
    thoughts = thoughts_of(text)
    assert (thoughts.begin_it, thoughts.first_words, text[thoughts.ends[-1][1] :]) == (False, 0, "said")


def test_the_end_of_a_turn_ends_no_thoughts_behind_those_of_harmony():
    text = f"{HARMONY[0]}I compare.{HARMONY[1]}said<|end|>"
    assert text[thoughts_of(text).ends[-1][1] :] == "said<|end|>"


@pytest.mark.nightly
def test_a_megabyte_is_read_in_linear_time():
    assert_linear("from rewardlab_answers import thoughts_of; (thoughts_of(text), thoughts_of('analysis' + text))")
