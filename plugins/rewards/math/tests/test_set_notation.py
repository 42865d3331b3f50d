r"""One set of real numbers, written in many ways."""

import pytest
from helpers.each_case import each_case


@pytest.mark.slow
@each_case(
    "answer, gold",
    [
        (r"\mathbb{R}\setminus\{0\}", r"(-\infty,0)\cup(0,\infty)"),
        (r"(-\infty,0)\cup(0,\infty)", r"\mathbb{R}\setminus\{0\}"),
        (r"\mathbb R \backslash \{0\}", r"\mathbb{R}\setminus\{0\}"),
        (r"\mathbb{R} \smallsetminus \{0\}", r"\mathbb{R}\setminus\{0\}"),
        (r"\mathbb{R} - \{0\}", r"(-\infty,0)\cup(0,\infty)"),
        ("ℝ∖{0}", r"(-\infty,0)\cup(0,\infty)"),
        (r"x \ne 0", r"\mathbb{R}\setminus\{0\}"),
        (r"x \in \mathbb{R}, x \neq 0", r"\mathbb{R} \setminus \{0\}"),
        (r"\text{all real numbers except } 0", r"\mathbb{R}\setminus\{0\}"),
        (r"\mathbb{R} \setminus \{-1, 1\}", r"(-\infty,-1)\cup(-1,1)\cup(1,\infty)"),
        (r"x \ne -1 \text{ and } x \ne 1", r"\mathbb{R}\setminus\{-1,1\}"),
        (r"D = \{x \mid x \ne 2\}", r"\mathbb{R} \setminus \{2\}"),
        (r"\{x \mid x > 3\}", r"(3,\infty)"),
        (r"\{x : x > 3\}", r"(3,\infty)"),
        (r"\{t | t > 3\}", r"\{x \mid x > 3\}"),
        (r"\left\{ x \in \mathbb{R} \mid x > 3 \right\}", r"(3,\infty)"),
        (r"(-1,1]", r"\{x | -1 < x \le 1\}"),
        (r"\{x | 1 > x > -1\}", r"(-1,1)"),
        (r"\{x|x<-1 \text{ or } x>2\}", r"(-\infty,-1)\cup(2,\infty)"),
        (r"\{x \mid x>0, x \ne 1\}", r"(0,1)\cup(1,\infty)"),
        (r"\{x \mid x^2 > 4\}", r"(-\infty,-2)\cup(2,\infty)"),
        (r"\{x \mid |x| < 2\}", "(-2,2)"),
        (r"\{1,2\}", r"\{x \mid x = 1 \text{ or } x = 2\}"),
        (r"(0,1)\cup(1,2)", r"(0,2)\setminus\{1\}"),
        (r"(4, 8] \cup [10, 12)", r"4 < m \leq 8 \text{ or } 10 \leq m < 12"),
        (r"(-\infty, -2] \cup \{1\}", r"a \leqslant -2 \text{ or } a = 1"),
        (r"\mathbb{R}^+", r"(0,\infty)"),
        (r"\mathbb{R}_{\ge 0}", r"[0,\infty)"),
        (r"\mathbb{R}^*", r"\mathbb{R}\setminus\{0\}"),
        (r"\text{all real numbers}", r"(-\infty,\infty)"),
        (r"(-\infty,0]\cup[0,\infty)", r"\mathbb{R}"),
    ],
)
def test_the_same_set_is_right(score, answer, gold):
    found = score(rf"\boxed{{{answer}}}", gold, "en")
    assert (found.value, "gold_by_writing" in found.info) == (1.0, False)


@each_case(
    "answer, gold",
    [
        (r"\mathbb{R}", r"\mathbb{R}\setminus\{0\}"),
        (r"\mathbb{R}\setminus\{1\}", r"(-\infty,0)\cup(0,\infty)"),
        (r"\mathbb{R}\setminus\{1\}", r"\mathbb{R}\setminus\{-1,1\}"),
        (r"(-\infty,0]\cup(0,\infty)", r"\mathbb{R}\setminus\{0\}"),
        (r"x \neq 1", r"\mathbb{R}\setminus\{0\}"),
        (r"y \neq 0", r"x \neq 0"),
        (r"x = 0", r"x \neq 0"),
        (r"\{x | x \ge 3\}", r"(3,\infty)"),
        (r"\{x | x < 3\}", r"(3,\infty)"),
        (r"\{x | -1 < x < 1\}", "(-1,1]"),
        (r"\{x|x<-1 \text{ or } x>3\}", r"(-\infty,-1)\cup(2,\infty)"),
        (r"\{x|x<-1 \text{ and } x>2\}", r"(-\infty,-1)\cup(2,\infty)"),
        (r"\{x \mid x>0, x \ne 2\}", r"(0,1)\cup(1,\infty)"),
        (r"\{n \in \mathbb{Z} \mid n > 3\}", r"(3,\infty)"),
        (r"\{x \mid x = 1 \text{ or } x = 3\}", r"\{1,2\}"),
        (r"(0,2)", r"(0,2)\setminus\{1\}"),
        (r"\mathbb{R}_{\ge 0}", r"(0,\infty)"),
        (r"\mathbb{R}^2", r"\mathbb{R}"),
        (r"\mathbb{Z}", r"\mathbb{R}"),
        (r"\mathbb{R}\setminus\mathbb{Q}", r"\mathbb{R}"),
        (r"(-\infty, -2] \cup \{2\}", r"a \leqslant -2 \text{ or } a = 1"),
        (r"(-\infty, -2) \cup \{1\}", r"a \leqslant -2 \text{ or } a = 1"),
    ],
)
def test_another_set_is_wrong(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 0.0
