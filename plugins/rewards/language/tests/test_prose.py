"""The parts that are taken out of a text before its language is measured."""

import pytest
from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_language.prose import prose


def left(text):
    return prose(text).text.split()


@each_case(
    "markup",
    [
        "$x = 3$",
        "$$\\frac{a}{b}$$",
        "\\(x + 1\\)",
        "\\[ \\text{speed} = d / t \\]",
        "\\begin{align*} x &= 1 \\\\ y &= 2 \\end{align*}",
        "\\boxed{8}",
        "\\boxed{\\text{eight \\frac{1}{2}}}",
        "\\fbox {nine}",
        "```python\nprint('hello world')\n```",
        "`x = compute()`",
        "https://example.org/some/page?x=y",
        "someone@example.org",
        "<answer>",
        "</think>",
        '<a href="page">',
        "<|im_end|>",
        "\\label{eq:one}",
        "\\quad",
        "\\operatorname{lcm}",
        "\u200b\ufeff",
    ],
)
def test_taken_out(markup):
    assert left(f"before {markup} after") == ["before", "after"]


@each_case(
    "text, words",
    [
        ("costs $5 and $3.", ["costs", "5", "and", "3."]),
        ("from $5-$8 on", ["from", "5-", "8", "on"]),
        ("costs \\$5 and \\$3.", ["costs", "5", "and", "3."]),
        ("so \\textbf{the sum} is", ["so", "{the", "sum}", "is"]),
        ("a < b and c > d", ["a", "<", "b", "and", "c", ">", "d"]),
        ("\\begin{itemize} \\item one \\end{itemize}", ["one"]),
        ("a box \\boxed{8 never closed", ["a", "box", "{8", "never", "closed"]),
        ("a formula $x never closed", ["a", "formula", "x", "never", "closed"]),
        ("𝐛𝐨𝐥𝐝 ｗｉｄｅ", ["bold", "wide"]),
        ("he\u0301", ["hé"]),
    ],
)
def test_kept(text, words):
    assert left(text) == words


def test_prose_is_not_hidden_by_an_unpaired_dollar():
    assert "prices" in prose("It is $5 here, but the prices are $ 6 there.").text


def test_sentences_that_were_taken_out_are_counted():
    assert prose("x").hidden == {}
    assert prose("`add(a, b)` and $\\frac{x}{y}$").hidden == {}
    assert prose("`this is a whole sentence in code`").hidden == {"Latn": 100 * len("thisisawholesentenceincode")}


@given(st.text())
def test_any_text_is_read(text):
    assert all(said > 0 for said in prose(text).hidden.values())


@pytest.mark.slow
@each_case("unit", ["$", "$a ", "\\begin{a", "`", "{", "\\boxed{", "a@", "<a b=", "\\(", "a b c "])
def test_time_is_linear(unit):
    refuse_growth(unit, prose, many(unit))
