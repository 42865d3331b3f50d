"""Response, reasoning and answer of a completion."""

import pytest
from rewardlab_language.parts import answer, reasoning, response, select


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all of it", ("all of it", None, "all of it")),
        ("<think>why</think>so", ("so", "why", "so")),
        ("why</think>so", ("so", "why", "so")),  # the chat template opened it
        ("<think>why</think>no<think>again</think>so", ("so", "why</think>no<think>again", "so")),
        ("<think>cut short", ("<think>cut short", "cut short", "<think>cut short")),
        ("<think>why</think>so <answer>8</answer> end", ("so <answer>8</answer> end", "why", "8")),
        ("<answer>7</answer><answer>8</answer>", ("<answer>7</answer><answer>8</answer>", None, "8")),
        ("<answer>8", ("<answer>8", None, "8")),
        ("<think><answer>7</answer></think>so", ("so", "<answer>7</answer>", "so")),
        ("", ("", None, "")),
    ],
)
def test_parts(text, expected):
    assert (response(text), reasoning(text), answer(text)) == expected


def test_both_are_response_and_reasoning():
    assert select("<think>why</think>so", "both") == {"response": "so", "reasoning": "why"}
    assert select("so", "reasoning") == {"reasoning": None}
