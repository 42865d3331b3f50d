"""One notation for all answers."""

from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_math.notation import plain


@each_case("zero", "0０٠۰०০੦૦୦௦౦೦൦෦๐໐༠၀០᠐")
def test_digits_of_every_script_are_digits(zero):
    digits = "".join(chr(ord(zero) + n) for n in range(10))
    assert plain(digits) == "0123456789"


@each_case(
    "written",
    [
        "42",
        " 42 ",
        "42.",
        "$42$",
        "$$42$$",
        r"\(42\)",
        r"\[42\]",
        "**42**",
        "`42`",
        r"\text{42}",
        r"\boxed{42}",
        "{42}",
        "{{42}}",
        r"\text{$42$}",
        r"\mathbf{42}",
        r"42\\",
        "42。",
        "42।",
        "\u200f42",
        r"$\displaystyle 42$",
    ],
)
def test_what_wraps_an_answer_goes(written):
    assert plain(written) == "42"


@each_case(
    "written, expected",
    [
        ("−5", "-5"),
        ("x²≤½", r"x^{2}\le \frac{1}{2}"),
        ("1⅒", r"1\frac{1}{10}"),
        ("x₁", "x_{1}"),
        ("√3", r"\sqrt{3}"),
        ("90°", r"90^\circ"),
        ("５０％", "50%"),
        (r"50\%", "50%"),
        (r"\$12", "$12"),
        (r"12\\%", "12%"),
        (r"32,\!348", "32,348"),
        (r"11,\! 111", "11,111"),
        (r"1{,}234", "1,234"),
        (r"1\,234", "1234"),
        (r"1~234", "1234"),
        ("(১, ২)", "(1, 2)"),
        ("1、2", "1,2"),
    ],
)
def test_signs_become_latex(written, expected):
    assert plain(written) == expected


@each_case("written", ["5!", "{1,2}", r"\{1\}", "1.234", "1 234,5", "1'234", r"\text{a}+\text{b}", "(1,2]"])
def test_what_has_a_meaning_stays(written):
    assert plain(written) == written


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(["$", "{", "}", r"\(", "½", "²", "٣", "\\"]), max_size=9).map("".join)
)
def test_no_text_is_too_strange(text):
    """An escaped dollar names a unit and comes out bare; what stands between two may be a formula when read again."""
    once = plain(text)
    assert r"\$" in text or plain(once) == once
