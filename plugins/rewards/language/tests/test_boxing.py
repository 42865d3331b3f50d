"""The last box of a solution holds the gold answer afterwards, whatever the solution and the answer are."""

from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_answers import last_box
from rewardlab_language.boxing import boxed, fits_in_box
from rewardlab_language.wording import wordings

ID = wordings()["id"]
PIECES = st.sampled_from(
    [r"\boxed{", r"\boxed {", "{", "}", r"\{", r"\}", r"\\", "7", "x", " ", "\n", r"\boxed{7}", "jadi"]
)
LATEX = st.lists(PIECES, max_size=12).map("".join)


@given(LATEX, LATEX.filter(fits_in_box))
def test_the_last_box_holds_the_answer(solution, answer):
    assert last_box(boxed(solution, answer, ID)).split() == answer.split()


@given(LATEX, LATEX.filter(fits_in_box))
def test_what_is_repaired_needs_no_repair(solution, answer):
    once = boxed(solution, answer, ID)
    assert boxed(once, answer, ID) == once


@given(LATEX, LATEX.filter(fits_in_box))
def test_nothing_but_the_content_of_the_box_changes(solution, answer):
    repaired, content = boxed(solution, answer, ID), last_box(solution)
    if content is None:
        assert repaired == f"{solution.rstrip()}\n\n{ID.conclude(answer)}"
    elif content.split() == answer.split():
        assert repaired == solution
    else:
        starts = range(len(solution) - len(content) + 1)
        assert repaired in {solution[:k] + answer + solution[k + len(content) :] for k in starts}


@each_case(
    "solution, repaired",
    [
        (r"Jadi \boxed{12}.", r"Jadi \boxed{12}."),
        (r"Jadi \boxed{ 12 }.", r"Jadi \boxed{ 12 }."),
        (r"Jadi \boxed{13}.", r"Jadi \boxed{12}."),
        (r"Jadi \boxed{}.", r"Jadi \boxed{12}."),
        (r"\boxed{3} lalu \boxed{4}, jadi \boxed {5}.", r"\boxed{3} lalu \boxed{4}, jadi \boxed {12}."),
        (r"\boxed{5} lalu {5}.", r"\boxed{12} lalu {5}."),
        (r"\boxed{5} lalu \boxed{5", r"\boxed{12} lalu \boxed{5"),
        ("Jadi 12.\n", "Jadi 12.\n\nJadi, jawabannya adalah \\boxed{12}."),
    ],
)
def test_repairs_by_example(solution, repaired):
    assert boxed(solution, "12", ID) == repaired


@each_case("answer", ["", "~", "7}", "{7", r"\boxed{7}", r"7\\}{"])
def test_some_answers_fit_in_no_box(answer):
    assert not fits_in_box(answer)


@each_case("unit, end", [(r"\boxed{", ""), (r"\boxed{7}", ""), ("{", ""), (r"\boxed{{", "}")])
def test_repair_of_hostile_solutions_takes_linear_time(unit, end):
    refuse_growth(unit, lambda text: boxed(text, "12", ID), many(unit, after=end))
