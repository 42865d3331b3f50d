"""Bounds for the digits of numbers that are not computed."""

import math

import pytest
from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_math.magnitude import digits

HUGE = 1e6


@each_case(
    "text",
    [
        r"9^{9^{9^{9}}}",
        "9^9^9",
        "9**9**9",
        "(9)^{9^9}",
        r"\left(9\right)^{9^9}",
        "|9|^{9^9}",
        r"10^{10^{10}}",
        r"10^{-10^{9}}",
        r"9^\frac{1000000000}{1}",
        "1000000!",
        "(10!)!",
        r"\binom{10000000}{5000000}",
        r"{10000000 \choose 5}",
        r"\Gamma(1000000)",
        r"(x+1)^{10^9}",
        r"x^{9^{9^9}}",
        r"\begin{pmatrix}1&1\\1&0\end{pmatrix}^{1000000000}",
        "factorial(factorial(10))",
        "2^{3^{20}} + 1",
        "{" * 50 + "9^9^9",
        r"e^{e^{e^{24}}}",
        "E**(E**(E**24))",
        r"\mathrm{e}^{\mathrm{e}^{\mathrm{e}^{24}}}",
        r"2e^{e^{e^{24}}}",
        r"\pi^{\pi^{\pi^{\pi}}}",
        "pi**(pi**(pi**pi))",
        r"\exp(\exp(\exp(24)))",
        r"\exp\left(e^{\exp{24}}\right)",
        "exp(exp(exp(24)))",
        r"\sinh(\cosh(e^{24}))",
        r"\sinh^{2}(\sinh^{2}(24^{5}))",
        r"\sqrt{10^{49999}+7}",
        r"\sqrt[3]{10^{49999}+7}",
        "sqrt(10**49999 + 7)",
        r"(10^{49999}+7)^{1/2}",
        r"(10^{49999}+7)^{\frac{1}{2}}",
        r"(10^{49999}+7)^\frac{1}{2}",
        r"(10^{49999}+7)^{0.5}",
        "(10^{49999}+7)^.5",
    ],
)
def test_what_is_huge_is_seen(text):
    assert digits(text) > HUGE


@each_case(
    "text",
    [
        "",
        "12",
        "100!",
        "2^{2015}",
        r"2^{2^{10}}",
        r"\binom{100}{50}",
        r"e^{-\frac{(x-3)^2}{2\cdot 5^2}}",
        "e^{x^{10}}",
        "x^{100000}",
        "(x+1)^{1000}",
        r"90^\circ",
        "1.5^{1000}",
        "1,000,000",
        r"\frac{1}{3} + \sqrt[3]{2}",
        "12-11+10-9+8-7+6-5+4-3+2-1",
        r"e^{2\pi}",
        r"\pi^{2}",
        r"\exp(100)",
        r"\cosh^{2}(20)",
        r"\sinh^2 x + \cosh^2 x",
        r"\sqrt{10^{900}+7}",
        r"\sqrt{2^{100}}",
        r"x^{\frac{1}{2}} + y^{0.5}",
        r"\frac{e^{3} - e^{-3}}{2}",
        "the value is one e",
    ],
)
def test_what_is_ordinary_is_small(text):
    assert digits(text) < 2000


products = st.lists(st.integers(1, 60), min_size=1, max_size=4).map(
    lambda n: (math.prod(n), r"\cdot ".join(map(str, n)))
)
sums = st.lists(st.integers(1, 999), min_size=1, max_size=9).map(lambda n: (sum(n), "+".join(map(str, n))))
numbers = products | sums


@given(numbers, numbers)
def test_it_is_an_upper_bound(base, exponent):
    (value, text), (power, power_text) = base, exponent
    assert digits(rf"\left({text}\right)^{{{power_text}}}") >= math.log10(value) * power * (1 - 1e-9)


@given(st.integers(1, 2000))
def test_it_bounds_factorials(n):
    assert digits(f"{n}!") >= math.lgamma(n + 1) / math.log(10)


@given(st.text(st.sampled_from("19x^!{}()+-,*\\ ")))
def test_no_text_is_too_strange(text):
    assert digits(text) >= 0


@pytest.mark.slow
@each_case("piece", ["9^", "{", "}", "9!", "9^{", "1+", "\\"])
def test_a_long_text_is_read_in_linear_time(piece):
    refuse_growth(piece, digits, many(piece))
