r"""Commands of layout, dots, roots and broken escapes: the same answer is right, and no other one."""

import pytest
from helpers.each_case import each_case
from rewardlab_math.notation import plain


@pytest.mark.slow
@each_case(
    "answer, gold",
    [
        (r"\frac{\mathrm{1,000}}{2}", "500"),
        (r"\dfrac{\mathbf{3}}{\mathbf{4}}", "0.75"),
        (r"\textcolor{red}{42}", "42"),
        (r"{\color{blue} 42}", "42"),
        (r"\color{red}{\frac{1}{2}}", "1/2"),
        (r"\colorbox{yellow}{42}", "42"),
        (r"\underline{42}", "42"),
        (r"\underline{\underline{42}}", "42"),
        (r"{\Large 42}", "42"),
        (r"\Large{42}", "42"),
        (r"\hspace{1mm}42", "42"),
        (r"42\hspace*{2em}", "42"),
        (r"\kern 3pt 42", "42"),
        (r"\phantom{-}42", "42"),
        (r"\ensuremath{42}", "42"),
        (r"\frac{\displaystyle 1}{\displaystyle 2}", "0.5"),
        (r"\mathbf{2}\sqrt{\mathbf{3}}", r"2\sqrt{3}"),
        (r"x^\mathbf{2}", "x^2"),
        (r"\left(\frac{1}{2},\; 3\right)", "(1/2,3)"),
        (r"\text{sin}\bigg(x\bigg)", r"\sin x"),
        (r"\operatorname{ln} 2", r"\ln 2"),
        (r"\frac{3\text{ km}}{4\text{ h}}", "0.75"),
        (r"\frac{3\text{ m}}{4\text{ s}}", "0.75"),
        (r"\frac{10\mathrm{cm}^2}{4}", "2.5"),
        (r"\frac{1+a}c", r"\frac{1+a}{c}"),
        (r"\frac{1}\pi", r"1/\pi"),
        (r"n^2-1", r"m_{\max}=n^2-1"),
        (r"x_{\text{max}} = 3", r"x_{\max}=3"),
        (r"1 - e^{-1}", r"1 - \frac{1}{\mathrm{e}}"),
        (r"\frac{1}{e}", r"\mathrm{e}^{-1}"),
        (r"\frac{\text{e}-1}{\mathrm{e}}", "1-1/e"),
        (r"{\rm e}^2+1", "e^2+1"),
        (r"2\mathrm{i}\sqrt{3}", r"2i\sqrt{3}"),
        (r"\ell^2", "l^2"),
    ],
)
def test_layout_says_nothing(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 1.0


@each_case(
    "answer, gold",
    [
        (r"\mathbf{12}", "21"),
        (r"\textcolor{red}{24}", "42"),
        (r"\textcolor{red}{4}2", "24"),
        (r"2^\mathbf{3}", "23"),
        (r"\frac{3\text{ m}}{4\text{ s}}", "4/3"),
        (r"\frac{3\text{ km}}{5\text{ h}}", "0.75"),
        (r"\frac{1+a}c", r"\frac{1}{c}+a"),
        (r"x_{\min} = 3", r"x_{\max}=3"),
        (r"2\mathrm{e}", "2"),
        (r"\mathrm{e}^{2}", "e^3"),
        (r"1 + \frac{1}{\mathrm{e}}", r"1 - \frac{1}{\mathrm{e}}"),
        (r"\overline{42}", "42"),
        (r"\cancel{42}", "42"),
        (r"\text{sin}(x)", r"\cos x"),
        (r"\hspace{42mm}7", "42"),
        (r"\phantom{42}7", "427"),
        (r"\color{red}{7}", "42"),
    ],
)
def test_what_says_something_stays(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 0.0


@each_case(
    "answer, gold",
    [
        ("∛8", "2"),
        ("√(x+1)", r"\sqrt{x+1}"),
        ("√(x²+1)", r"\sqrt{x^2+1}"),
        ("√12", r"2\sqrt{3}"),
        ("2√3", r"\sqrt{12}"),
        ("5∛2", r"5\sqrt[3]{2}"),
        ("³√8", "2"),
        ("⁴√16", "2"),
        ("∜16", "2"),
        ("∛(x+1)", "(x+1)^{1/3}"),
        ("(1+√5)/2", r"\frac{1+\sqrt{5}}{2}"),
        ("√x+1", r"\sqrt{x}+1"),
        ("√½", r"\frac{\sqrt2}{2}"),
        ("√π", r"\sqrt{\pi}"),
        ("√{5}", r"\sqrt{5}"),
        (r"\frac{√3}{2}", r"\frac{\sqrt{3}}{2}"),
    ],
)
def test_signs_of_roots_are_roots(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 1.0


@each_case(
    "answer, gold",
    [
        ("∛8", r"2\sqrt{2}"),
        ("√8", "2"),
        ("√(x+1)", r"\sqrt{x}+1"),
        ("√x+1", r"\sqrt{x+1}"),
        ("√12", r"2\sqrt{1}"),
        ("∛27", "9"),
        ("∜16", "4"),
        ("2√3", r"\sqrt{6}"),
        ("5∛2", r"5\sqrt{2}"),
    ],
)
def test_another_root_is_wrong(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 0.0


@each_case(
    "written, expected",
    [
        ("\x0crac{1}{2}", r"\frac{1}{2}"),
        ("[\x0crac{1}{2}, 3)", r"[\frac{1}{2}, 3)"),
        ("3\text{ cm}", r"3\text{ cm}"),
        ("2\theta", r"2\theta"),
        ("\x08inom{n}{2}", r"\binom{n}{2}"),
        (r"\\frac{\\pi}{2}", r"\frac{\pi}{2}"),
        (r"2\\sqrt{3}", r"2\sqrt{3}"),
        ("3<sup>x</sup>", "3^{x}"),
        ("x<sub>1</sub>", "x_{1}"),
        ("<b>42</b>", "42"),
        ("x &lt; 3", "x < 3"),
        ("2&nbsp;&times;&nbsp;3", r"2 \times 3"),
        ("②③", "2, 3"),
        ("⑫", "12"),
        (r"\begin{pmatrix}1\\\frac12\\\alpha\end{pmatrix}", r"\begin{pmatrix}1\\  \frac12\\  \alpha\end{pmatrix}"),
        ("a\tb", "a b"),
        ("x < y", "x < y"),
    ],
)
def test_what_escapes_left_is_repaired(written, expected):
    assert plain(written) == expected
