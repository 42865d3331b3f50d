r"""Words around an answer: leads, qualifiers, congruences, other names of bound variables, units of angles."""

import pytest
from helpers.each_case import each_case


@each_case(
    "gold",
    [
        "Answer: 42",
        "answer: 42.",
        "The answer is 42.",
        "The final answer is: $42$",
        "So the answer is 42",
        "Therefore, the correct answer is 42",
        "**Answer:** 42",
        "Final Answer: **42**",
        r"\text{Answer: } 42",
        "<answer>42</answer>",
        "<think>7?</think><answer>7</answer> <answer> 42 </answer>",
        "Solution: 42",
        "答案：42",
        "答案是42",
        "答え：42",
        "정답: 42",
        "Antwort: 42",
        "Die Antwort ist 42",
        "Réponse : 42",
        "La respuesta es 42",
        "Ответ: 42",
        "Jawaban: 42",
        "उत्तर: 42",
        r"Answer: $\frac{84}{2}$",
    ],
)
def test_golds_may_have_words_around_them(score, gold):
    assert [score(rf"\boxed{{{said}}}", gold).value for said in ("42", "Answer: 42", "24")] == [1.0, 1.0, 0.0]


@each_case(
    "answer, gold",
    [
        ("7", "The answer is not 7"),
        ("42", "Answer: 42 or 43"),
        ("42", "the answer to 42 is 7"),
        ("42", "<answer>7</answer> 42"),
        ("answer", "Answer: 42"),
    ],
)
def test_what_the_words_say_counts(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold).value == 0.0


@pytest.mark.slow
@each_case(
    "answer, gold",
    [
        (r"f(x)=2x \text{ for all real } x", "f(x)=2x"),
        ("f(x)=2x", r"f(x)=2x \text{ for all real } x"),
        (r"f(x)=2x \text{ for all } x", "f(x)=2x"),
        (r"f(x)=2x, \forall x \in \mathbb{R}", "f(x)=2x"),
        (r"f(x)=2x for every real number x", "f(x) = 2x"),
        (r"f(x)=2x \quad (x \in \mathbb{R})", "f(x)=2x"),
        (r"f(x) = 1 \text{ for all } x \in \mathbb{Q}_{>0}", "f(x)=1"),
        (r"f(x)=-1 \text{ for all } x \in \mathbb{Z}, \text{ and } f(x)=x+1", "f(x)=-1, f(x)=x+1"),
        (r"(f(n), g(n)) = (n, 1) \text{ for all positive integers } n", "f(n)=n, g(n)=1"),
        (r"f(x)=\pm x", "f(x)=x, f(x)=-x"),
        (r"f(x)=x, f(x)=-x", r"f(x)=\pm x"),
        (r"x = k\pi, k \in \mathbb{Z}", r"x = k\pi"),
        (r"k\pi", r"k\pi \text{ where } k \text{ is an integer}"),
        (r"x = k\pi (k \in \mathbb{Z})", r"x = n\pi, n \in \mathbb{Z}"),
        (r"n\pi", r"x = k\pi"),
        (r"\frac{\pi}{6} + 2n\pi", r"\frac{\pi}{6}+2\pi k"),
        (r"30^\circ + 360^\circ n", r"30^\circ + 360^\circ k"),
        (r"(-32 + 3t, 64 - 5t) \text{ for some integer } t", r"(k, \ell) = (-32 + 3x, 64 - 5x)"),
        (r"f(z)=z^2", "f(x)=x^2"),
        ("f(m) = 2m + 1007", "f(n) = 2 n+1007"),
        ("f(t) = 3", "f(x) = 3"),
        (r"(1,2)", "(a,b)=(1,2)"),
        (r"f(x)=\pm\sqrt{x}", r"f(x)=\sqrt{x} \text{ or } f(x)=-\sqrt{x}"),
    ],
)
def test_a_qualifier_or_another_bound_name_says_nothing(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 1.0


@pytest.mark.slow
@each_case(
    "answer, gold",
    [
        (r"f(x)=3x \text{ for all real } x", "f(x)=2x"),
        (r"f(x)=2x \text{ for all } x > 1", "f(x)=2x"),
        (r"f(x)=2x \text{ for } x < 0", "f(x)=2x"),
        (r"f(x)=2x \text{ for no } x", "f(x)=2x"),
        (r"f(x)=x", r"f(x)=\pm x"),
        (r"f(x)=\pm x", "f(x)=x"),
        (r"f(x)=\pm 2x", "f(x)=x, f(x)=-x"),
        (r"x = k\pi, k \in \mathbb{N}", r"x = k\pi, k \in \mathbb{Z}"),
        (r"x = 2k\pi, k \in \mathbb{Z}", r"x = k\pi, k \in \mathbb{Z}"),
        (r"n\pi/2", r"k\pi"),
        ("n+1", "k+1"),
        ("n^2", "m^2"),
        (r"n\pi + n", r"k\pi + k"),
        ("f(y)=y^2", "f(x)=x"),
        ("g(x)=x^2", "f(x)=x^2"),
        ("f(m) = 2n + 1007", "f(n) = 2n+1007"),
        ("(b,a)=(1,2)", "(a,b)=(1,2)"),
        ("(a,b)=(2,1)", "(a,b)=(1,2)"),
        (r"x \in \mathbb{R}", r"x \in \mathbb{Z}"),
        (r"x^2 \text{ for all } x", "y^2"),
        (r"a, b \in \mathbb{R}", "a"),
        ("P(B)=0.3", "P(A)=0.3"),
        ("f(b)=3", "f(a)=3"),
    ],
)
def test_a_condition_or_a_free_name_says_something(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 0.0


@each_case(
    "answer, right",
    [
        (r"n \equiv 1 \pmod{3}", 1),
        (r"n \equiv 1 \mod 3", 1),
        (r"n \equiv 1 \bmod 3", 1),
        (r"n \equiv 1 (\text{mod } 3)", 1),
        (r"n \equiv 1 \text{ (mod } 3)", 1),
        (r"n≡1 (mod 3)", 1),
        (r"n\equiv1\pmod3", 1),
        (r"n \equiv 4 \pmod 3", 1),
        (r"n \equiv -2 \pmod{3}", 1),
        (r"n = 1 \mod 3", 1),
        (r"1 \pmod 3", 1),
        ("3k+1", 1),
        ("n = 3k + 1", 1),
        ("n=3k-2", 1),
        (r"n \equiv 2 \pmod 3", 0),
        (r"n \equiv 1 \pmod 4", 0),
        (r"n \equiv 1, 2 \pmod 3", 0),
        (r"m \equiv 1 \pmod 3", 0),
        (r"n \not\equiv 1 \pmod 3", 0),
        ("n = 1", 0),
        ("1", 0),
        ("3k+2", 0),
        ("3n", 0),
        (r"n \equiv 1", 0),
    ],
)
def test_congruences(score, answer, right):
    found = score(rf"\boxed{{{answer}}}", r"n\equiv 1 \pmod 3", "en")
    assert (found.value, "gold_by_writing" in found.info) == (right, False)


@pytest.mark.slow
@each_case(
    "answer, gold, right",
    [
        (r"n \equiv 1, 2 \pmod 3", r"n\equiv 1 \text{ or } 2 \pmod 3", 1),
        (r"n \equiv 2 \pmod 3 \text{ or } n \equiv 1 \pmod 3", r"n\equiv 1, 2 \pmod 3", 1),
        (r"n \equiv 0, 2 \pmod 3", r"n\equiv 1, 2 \pmod 3", 0),
        (r"n \equiv 1 \pmod 3", r"n\equiv 1, 2 \pmod 3", 0),
        (r"x \equiv a \pmod{p}", r"x \equiv a \mod p", 1),
        (r"x \equiv b \pmod{p}", r"x \equiv a \mod p", 0),
        (r"120^\circ", r"C = \frac{2\pi}{3}", 1),
        (r"\frac{\pi}{6}", r"30^\circ", 1),
        ("135°", r"\dfrac{3\pi}{4}", 1),
        ("120", r"\frac{2\pi}{3}", 0),
        (r"60^\circ", r"\frac{2\pi}{3}", 0),
        (r"\frac{\pi}{3}", r"30^\circ", 0),
        (r"\pi", "180", 0),
        ("(-7,16,5)", r"\begin{pmatrix} -7 \\ 16 \\ 5 \end{pmatrix}", 1),
        (r"\begin{pmatrix} -7 \\ 16 \\ 5 \end{pmatrix}", "(-7,16,5)", 1),
        ("(16,-7,5)", r"\begin{pmatrix} -7 \\ 16 \\ 5 \end{pmatrix}", 0),
        (r"\{-7,16,5\}", r"\begin{pmatrix} -7 \\ 16 \\ 5 \end{pmatrix}", 0),
        ("-4x^2+4x-2", "y + 1 = -(2x - 1)^2", 1),
        ("-4x^2+4x-1", "y + 1 = -(2x - 1)^2", 0),
        (r"\sqrt{1-x^2}", "x^2+y^2=1", 0),
        ("line segment and circle", "line segment, circle", 1),
        ("line segment or circle", "line segment", 0),
    ],
)
def test_other_forms_of_the_same(score, answer, gold, right):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == right
