"""Numbers of any size, and what only looks like a difference."""

import pytest
from helpers.each_case import each_case
from rewardlab_math.gold import golds
from rewardlab_math.judge import judge_answer


def verdict(gold, answer):
    return judge_answer(golds(gold, "en", 2.0), [answer], "en", 2.0)


@pytest.mark.slow
@each_case(
    "gold, answer",
    [
        ("2^{-2000}", "2^{-2001}"),
        (r"\frac{1}{2006!}", r"\frac{1}{2004!}"),
        (r"\frac{1}{2006!}", r"-\frac{1}{2006!}"),
        (r"\frac{1}{2006!}", r"\frac{2}{2006!}"),
        ("0", "10^{-400}"),
        ("10^{-400}", "-10^{-400}"),
        (r"3 \cdot 10^{-500}", r"4 \cdot 10^{-500}"),
        ("e^{-800}", "e^{-900}"),
        ("e^{800}", "e^{900}"),
        (r"\pi^{-900}", r"\pi^{-901}"),
        ("10^{400}", "10^{401}"),
        ("7^{1000}", "-7^{1000}"),
        (r"\sqrt{2} \cdot 10^{-400}", r"\sqrt{3} \cdot 10^{-400}"),
        (r"x \cdot 2^{-2000}", r"x \cdot 2^{-2001}"),
        ("10^{-400} + 10^{-400} i", "10^{-400} - 10^{-400} i"),
        ("P = 2^{-2000}", "2^{-2001}"),
        ("x = 2^{-2000}", "x = 2^{-2001}"),
        ("x > 10^{-400}", "x > 10^{-401}"),
        ("10^{-400} < x < 1", "10^{-401} < x < 1"),
        ("[0, 2^{-2000}]", "[0, 2^{-2001}]"),
        ("(2^{-2000}, 1)", "(2^{-2001}, 1)"),
        (r"\{2^{-2000}\}", r"\{2^{-2001}\}"),
        ("2^{-2000}, 1", "1, 2^{-2001}"),
        (r"\begin{pmatrix} 10^{-400} & 1\end{pmatrix}", r"\begin{pmatrix} 10^{-401} & 1\end{pmatrix}"),
        ("1-2^{-2000}", "1-2^{-2001}"),
        (r"\frac{100001}{10^{25}}", "10^{-20}"),
        (r"\sqrt{2}", r"\sqrt{2}+10^{-20}"),
        (r"\lfloor n/2 \rfloor", r"\lceil n/2 \rceil"),
    ],
)
def test_numbers_below_and_above_the_reach_of_floats_differ(gold, answer):
    assert not verdict(gold, answer).right


@pytest.mark.slow
@each_case(
    "gold, answer",
    [
        ("2^{-2000}", r"\frac{1}{2^{2000}}"),
        (r"\left(\frac12\right)^{1100}", "2^{-1100}"),
        (r"\frac{1}{2006!}", r"\frac{1}{2006 \cdot 2005!}"),
        (r"3 \cdot 10^{-500}", r"30 \cdot 10^{-501}"),
        ("e^{-1000}", r"\frac{1}{e^{1000}}"),
        ("10^{400}", "100^{200}"),
        ("2^{5000}", "4^{2500}"),
        ("1-2^{-2000}", r"1-\frac{2}{2^{2001}}"),
        (r"\sqrt{2} \cdot 10^{-400}", r"\frac{2}{\sqrt{2}} \cdot 10^{-400}"),
        (r"x \cdot 2^{-2000}", r"\frac{x}{2^{2000}}"),
        ("10^{-400} < x < 1", "1 > x > 10^{-400}"),
        (r"1.5 \times 10^{-400}", r"15 \times 10^{-401}"),
        (r"\frac{100!}{10^{500}}", r"100! \cdot 10^{-500}"),
        ("0", r"\sqrt{2}+\sqrt{3}-\sqrt{5+2\sqrt{6}}"),
        (r"\frac{1}{3}", "0.333333"),
    ],
)
def test_the_same_number_of_any_size_in_another_form_is_equal(gold, answer):
    assert verdict(gold, answer).right


@each_case(
    "gold, answer",
    [
        ("2^{-400000}", "2^{-400001}"),
        (r"\frac{1}{40000!}", r"\frac{1}{40001!}"),
        ("e^{-10^6}", "e^{-10^7}"),
    ],
)
def test_what_is_too_large_to_compute_is_compared_as_written_and_noted(gold, answer):
    assert verdict(gold, gold).right
    refused = verdict(gold, answer)
    assert not refused.right
    assert refused.refused


@each_case(
    "gold, answer",
    [
        (r"\lfloor n/2 \rfloor", r"\left\lfloor\frac{n}{2}\right\rfloor"),
        (r"\lfloor n/3 \rfloor \cdot 2", r"2\lfloor n/3 \rfloor"),
        (r"-\lfloor n/2 \rfloor + n", r"n - \lfloor n/2 \rfloor"),
        (r"\left\lceil\frac{n}{3}\right\rceil", r"\lceil n/3 \rceil"),
        (r"\lfloor \sqrt{n} \rfloor", r"\lfloor n^{1/2} \rfloor"),
        (r"n^2 \lfloor n/2 \rfloor", r"\lfloor n/2 \rfloor n^2"),
        (r"\lfloor \log_2 n \rfloor + 1", r"1 + \lfloor \log_2 n \rfloor"),
        (r"\lfloor x+1 \rfloor", r"\lfloor x \rfloor + 1"),
        (r"\lfloor n/2 \rfloor \lceil n/2 \rceil", r"\lceil n/2 \rceil \lfloor n/2 \rfloor"),
        (r"|x-\lfloor x \rfloor|", r"|\lfloor x \rfloor - x|"),
    ],
)
def test_floors_and_ceilings_are_compared(gold, answer):
    assert verdict(gold, answer).right


@each_case(
    "gold, answer",
    [
        (r"\lfloor n/2 \rfloor", r"\lceil n/2 \rceil"),
        (r"\lfloor n/2 \rfloor + 1", r"\lfloor n/2 \rfloor + 2"),
        (r"\lceil n/3 \rceil", r"\lceil n/4 \rceil"),
        (r"\lfloor x \rfloor", "x"),
        (r"\lfloor \sqrt{n} \rfloor", r"\lceil \sqrt{n} \rceil"),
    ],
)
def test_floors_and_ceilings_differ_without_an_error(gold, answer):
    found = verdict(gold, answer)
    assert (found.right, found.failed) == (False, None)
