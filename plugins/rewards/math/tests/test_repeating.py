r"""Repeating decimals, as the schools of many countries write them."""

from fractions import Fraction

from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Sample
from rewardlab_math.accuracy import Accuracy
from rewardlab_math.options import AccuracyOptions
from rewardlab_math.repeating import with_fractions


@each_case(
    "written, value",
    [
        (r"0.\overline{3}", r"\frac{1}{3}"),
        (r"0,\overline{3}", r"\frac{1}{3}"),
        ("0.(3)", r"\frac{1}{3}"),
        ("0,1(6)", r"\frac{1}{6}"),
        (r"0.\bar{3}", r"\frac{1}{3}"),
        (r"0.\bar 3", r"\frac{1}{3}"),
        (r"0.1\overline 6", r"\frac{1}{6}"),
        (r"0.\dot{3}", r"\frac{1}{3}"),
        (r"0.\dot 3", r"\frac{1}{3}"),
        (r"0.\dot{4}\dot{5}", r"\frac{5}{11}"),
        (r"0.\dot{1}4285\dot{7}", r"\frac{1}{7}"),
        (r".\overline{09}", r"\frac{1}{11}"),
        (r"2.\overline{9}", "3"),
        (r"-12.3\overline{4}", r"-\frac{1111}{90}"),
        (r"x = 0.\overline{3}", r"x = \frac{1}{3}"),
    ],
)
def test_is_a_fraction(written, value):
    assert with_fractions(written) == value


@each_case("text", ["f(3)", "2(3)", "1.5", r"\overline{3}", "0.(x)", r"1.\overline{}", "1.2(3)(4)", "1.2(3)4"])
def test_anything_else_stays(text):
    assert with_fractions(text) == text


def test_of_many_digits_stays():
    assert with_fractions("0.(" + "3" * 100 + ")") == "0.(" + "3" * 100 + ")"


@given(st.integers(0, 999), st.text("0123456789", max_size=4), st.text("0123456789", min_size=1, max_size=5))
def test_equals_its_digits_as_far_as_they_are_written_out(whole, once, again):
    found = with_fractions(rf"{whole}.{once}\overline{{{again}}}")
    top, _, bottom = found.removeprefix(r"\frac{").removesuffix("}").partition("}{")
    value = Fraction(int(top), int(bottom or 1))
    assert abs(value - Fraction(f"{whole}.{once}{again * 12}")) <= Fraction(1, 10**12)


@each_case(
    "gold, answer, value",
    [
        ("1/3", r"0.\overline{3}", 1.0),
        (r"0.\overline{3}", "1/3", 1.0),
        (r"0.\overline{3}", "0.3", 0.0),
        (r"0.\overline{3}", "0.333333", 1.0),
        ("1/6", "0,1(6)", 1.0),
        ("1/6", r"0.\overline{16}", 0.0),
    ],
)
def test_is_compared_exactly(gold, answer, value):
    sample = Sample(id="1", prompt="?", fields={"answer": gold})
    [found] = Accuracy(AccuracyOptions()).score([(sample, Completion(text=rf"\boxed{{{answer}}}"))])
    assert found.value == value, found
