r"""Lists with dots, named values and counted things: what is what follows from their order, or from their names."""

from helpers.each_case import each_case


@each_case(
    "answer, gold",
    [
        (r"1, 2, \cdots, n", r"1, 2, \ldots, n"),
        ("1,2,...,n", r"1, 2, \ldots, n"),
        ("1, 2, …, n", r"1,2,\dots,n"),
        (r"1, 2, \dotsc, n", r"1,2,\ldots,n"),
        (r"2, 4, 6, \ldots", r"2,4,6,\dots"),
        (r"2, 4, 6, ...", r"2,4,6,\dots"),
        (r"1+2+\dots+n", r"1+2+\cdots+n"),
        (r"1 + 2 + ⋯ + n", r"1+2+\dotsb+n"),
        (r"1 \cdot 2 \cdots n", r"1\cdot 2 \cdot \ldots \cdot n"),
        (r"x_1 \cdot\cdot\cdot x_n", r"x_1\cdots x_n"),
        (r"1, 1/2, 1/3, \ldots", r"1, \frac12, \frac13, \ldots"),
        (r"\{1, 2, \dots, 10\}", r"\{1,2,\ldots,10\}"),
        (r"x_1, x_2, \dots, x_n", r"x_1,x_2,\ldots,x_n"),
        (r"1, 3, 5, \dots, 2n-1", r"1,3,5,\ldots,-1+2n"),
    ],
)
def test_dots_are_dots_however_they_are_written(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 1.0


@each_case(
    "answer, gold",
    [
        ("2,4,6", r"2,4,6,\ldots"),
        ("2,4,6", "2,4,6,..."),
        (r"2,4,6,\ldots", "2,4,6"),
        (r"6,4,2,\ldots", r"2,4,6,\ldots"),
        (r"1,3,5,\dots", r"2,4,6,\dots"),
        (r"1,2,4,\dots", r"1,2,3,\dots"),
        ("3+n", r"1+2+\cdots+n"),
        (r"1+2+\cdots+2n", r"1+2+\cdots+n"),
        (r"1+3+\cdots+n", r"1+2+\cdots+n"),
        (r"1\cdot2\cdots n", r"1+2+\cdots+n"),
        (r"1, 2, \dots, n-1", r"1,2,\ldots,n"),
        (r"1, \dots, 2, n", r"1, 2, \dots, n"),
        (r"\{1, 2, \dots, 11\}", r"\{1,2,\ldots,10\}"),
        (r"1, 1/2, 1/4, \ldots", r"1, \frac12, \frac13, \ldots"),
        (r"x_1, x_3, \dots, x_n", r"x_1,x_2,\ldots,x_n"),
        ("12", r"1, 2, \ldots"),
    ],
)
def test_other_terms_another_order_or_no_dots_are_wrong(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 0.0


@each_case(
    "answer, gold",
    [
        ("w=16, d=3, a=1, b=1", "16,3,1,1"),
        ("T(10)=2, T(11)=4, T(12)=3", "2,4,3"),
        (r"a = -2, \ b = -2", "-2,-2"),
        ("Minimum: 1, Maximum: 3", "1,3"),
        ("Minimum = 1 and Maximum = 3", "1, 3"),
        ("stay: 1/4, switch: 3/4", "switch: 3/4, stay: 1/4"),
        (r"\text{width} = 3, \text{height} = 5", "3, 5"),
        (r"7 \text{ stuffed goats and } 4 \text{ toy helicopters}", "7,4"),
        ("7, 4", "7 goats and 4 helicopters"),
        ("7 goats and 4 toys", "7 goats, 4 helicopters"),
        (r"240 \text{ yuan},\ 210 \text{ yuan}", "240, 210"),
    ],
)
def test_values_with_names_are_right_in_the_order_of_the_right_answer(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 1.0


@each_case(
    "answer, gold",
    [
        ("w=3, d=16, a=1, b=1", "16,3,1,1"),
        ("T(10)=4, T(11)=2, T(12)=3", "2,4,3"),
        ("a = -2, b = 2", "-2,-2"),
        ("Minimum: 3, Maximum: 1", "1,3"),
        ("stay: 3/4, switch: 1/4", "switch: 3/4, stay: 1/4"),
        (r"\frac14, \frac34", "switch: 3/4, stay: 1/4"),
        ("stay: 1/4", "switch: 3/4, stay: 1/4"),
        (r"4 \text{ stuffed goats and } 7 \text{ toy helicopters}", "7,4"),
        ("4, 7", "7 goats and 4 helicopters"),
        ("7 goats", "7 goats and 4 helicopters"),
        ("width: 3, height: 5, depth: 2", "3, 5"),
    ],
)
def test_values_of_other_names_are_wrong(score, answer, gold):
    assert score(rf"\boxed{{{answer}}}", gold, "en").value == 0.0
