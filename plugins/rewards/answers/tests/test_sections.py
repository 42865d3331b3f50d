"""Response, reasoning and answer of a completion."""

from helpers.each_case import each_case
from rewardlab_answers.sections import answer, final, reasoning, response, split


@each_case(
    "text, expected",
    [
        ("all of it", ("all of it", None, None)),
        ("<think>why</think>so", ("so", "why", None)),
        ("why</think>so", ("so", "why", None)),  # the chat template opened it
        ("<think>why</think>no<think>again</think>so", ("so", "why</think>no<think>again", None)),
        ("<think>cut short", ("<think>cut short", "cut short", None)),
        ("<think>why</think>so <answer>8</answer> end", ("so <answer>8</answer> end", "why", "8")),
        ("<answer>7</answer><answer>8</answer>", ("<answer>7</answer><answer>8</answer>", None, "8")),
        ("<answer>8", ("<answer>8", None, "8")),
        ("<think><answer>7</answer></think>so", ("so", "<answer>7</answer>", None)),
        ("<think>or <answer>7</answer>?", ("<think>or <answer>7</answer>?", "or <answer>7</answer>?", None)),
        ("", ("", None, None)),
    ],
)
def test_parts(text, expected):
    assert (response(text), reasoning(text), answer(text)) == expected


@each_case(
    "text, expected",
    [
        ("all of it", "all of it"),
        ("<think>why</think>so", "so"),
        ("why</think>so", "so"),
        ("<think>cut short", ""),
        (" \n<think>why</think>\n<think>cut short", ""),
        ("The tag <think> begins thoughts.", "The tag <think> begins thoughts."),
    ],
)
def test_thoughts_that_do_not_end_are_no_response(text, expected):
    assert final(text) == expected


def test_a_well_formed_text_is_split():
    assert split(" <think> why\n</think>\n<answer>8 </answer>\n") == ("why", "8")


@each_case(
    "text",
    [
        "",
        "why",
        "why</think><answer>8</answer>",
        "<think>why</think>8",
        "<think>why</think><answer>8",
        "<think>why</think><answer> </answer>",
        "<think>\n</think><answer>8</answer>",
        "so <think>why</think><answer>8</answer>",
        "<think>why</think> so <answer>8</answer>",
        "<think>why</think><answer>8</answer> end",
        "<think>why</think><answer>7</answer><answer>8</answer>",
        "<answer>8</answer><think>why</think>",
        "<think>why<answer>8</think></answer>",
        "<think>a<think>b</think><answer>8</answer>",
    ],
)
def test_anything_else_is_not(text):
    assert split(text) is None
