r"""Roots and logarithms of quantities that are positive."""

import pytest
from helpers.each_case import each_case


@pytest.mark.slow
@each_case(
    "answer, gold",
    [
        (r"\frac{1}{\sqrt{n}}", r"\sqrt{1/n}"),
        (r"\frac{\sqrt{2}}{\sqrt{n}}", r"\sqrt{\frac{2}{n}}"),
        (r"2\pi\frac{\sqrt{L}}{\sqrt{g}}", r"2\pi\sqrt{\frac{L}{g}}"),
        (r"n\sqrt{n}", r"\sqrt{n^3}"),
        (r"\ln a+\ln b", r"\ln(ab)"),
        (r"(ab)^{1/3}", "a^{1/3}b^{1/3}"),
        (r"\sqrt{ab}", r"\sqrt{a}\sqrt{b}"),
        (r"\ln a - \ln b", r"\ln\frac{a}{b}"),
        (r"\sqrt[4]{xy}", r"\sqrt[4]{x}\sqrt[4]{y}"),
        (r"\frac{1}{2}\ln x", r"\ln\sqrt{x}"),
        (r"3\ln x", r"\ln x^3"),
    ],
)
def test_they_are_equal_where_both_are_real(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 1.0


@each_case(
    "answer, gold",
    [
        ("x", r"\sqrt{x^2}"),
        ("x", "|x|"),
        (r"\sqrt{n}", r"\sqrt{1/n}"),
        (r"\sqrt{2/n}", r"\sqrt{1/n}"),
        (r"2\pi\sqrt{\frac{g}{L}}", r"2\pi\sqrt{\frac{L}{g}}"),
        (r"\ln a \ln b", r"\ln(ab)"),
        (r"\ln(a+b)", r"\ln a+\ln b"),
        (r"\sqrt{a+b}", r"\sqrt{a}+\sqrt{b}"),
        (r"n^2\sqrt{n}", r"\sqrt{n^3}"),
        (r"(a+b)^{1/3}", "a^{1/3}+b^{1/3}"),
        (r"\ln a - \ln b", r"\ln\frac{b}{a}"),
        (r"-\sqrt{ab}", r"\sqrt{a}\sqrt{b}"),
        (r"\sqrt{m}\sqrt{n}", r"\sqrt{ab}"),
    ],
)
def test_others_are_not(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 0.0
