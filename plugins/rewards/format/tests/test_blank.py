"""LaTeX that prints nothing."""

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_answers import is_blank
from rewardlab_format.blank import is_blank_latex

SPACES = ["{}", r"\ ", r"\quad", "$ $", r"\,{\;}", r"\\", r"\hfill", r"\enspace\thinspace", r"\left.\right.", "\u034f"]
FONTS = [r"\text{ }", r"\mathrm{}", r"\mathbb{}", r"\operatorname*{}", r"\displaystyle{}", r"\rm ", r"\underline{\ }"]
UNPRINTED = [r"\phantom{42}", r"\vphantom {\frac{1}{2}}", r"\hspace*{1em}", r"\rule{0pt}{1em}", r"\textcolor{red}{ }"]


@each_case("text", [*SPACES, *FONTS, *UNPRINTED, r"\color{red}{}\label{x}"])
def test_latex_that_prints_nothing(text):
    assert is_blank_latex(text)


@each_case(
    "text",
    [
        *("0", ".", r"\{", r"\emptyset", r"\text{no}", "答", "-", r"\textcolor{red}{4}", r"\phantom{4}5"),
        *(r"\textdegree", r"\parallel", r"\rmoustache", r"\emph{4}", r"\small 4", r"\boldsymbol\pi", r"\hslash"),
    ],
)
def test_something_to_see(text):
    assert not is_blank_latex(text)


@given(st.text())
def test_what_is_blank_is_blank_in_latex(text):
    assert is_blank_latex(text) or not is_blank(text)


@pytest.mark.parametrize("text", [r"\phantom{{" * 20_000, r"\rule{a" * 20_000, r"\phantom{" + "{a}" * 60_000])
def test_what_nothing_closes_is_no_trap(text):
    assert not is_blank_latex(text)
