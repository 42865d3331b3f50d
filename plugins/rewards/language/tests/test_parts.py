"""The texts that are measured."""

from helpers.each_case import each_case
from rewardlab_language.parts import answer, select


@each_case(
    "text, expected",
    [
        ("all of it", "all of it"),
        ("<think>why</think>so <answer>8</answer> end", "8"),
        ("<think><answer>7</answer></think>so", "so"),
        ("", ""),
    ],
)
def test_an_answer_without_tags_is_the_response(text, expected):
    assert answer(text) == expected


def test_both_are_response_and_reasoning():
    assert select("<think>why</think>so", "both") == {"response": "so", "reasoning": "why"}
    assert select("so", "reasoning") == {"reasoning": None}
