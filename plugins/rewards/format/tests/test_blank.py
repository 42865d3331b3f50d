from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_format.blank import is_blank, is_blank_latex


@each_case("text", ["", " ", "\n\t", "\u200b", "\ufeff", "\u00a0", "\u3000", "\u2800", "\u3164"])
def test_nothing_to_see(text):
    assert is_blank(text)


@each_case("text", ["{}", r"\ ", r"\quad", r"\text{ }", "$ $", r"\,{\;}", r"\mathrm{}"])
def test_latex_that_prints_nothing(text):
    assert is_blank_latex(text)


@each_case("text", ["0", ".", r"\{", r"\emptyset", r"\text{no}", "答", "-"])
def test_something_to_see(text):
    assert not is_blank(text)
    assert not is_blank_latex(text)


@given(st.text())
def test_what_is_blank_is_blank_in_latex(text):
    assert is_blank_latex(text) or not is_blank(text)
