"""Readers of boxed answers."""

import json

import pytest
from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from helpers.paths import TESTS
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_answers import last_box, last_boxes, official_box

DATA = TESTS / "data"
texts = st.lists(
    st.sampled_from([r"\boxed{", r"\boxed", r"\fbox{", "{", "}", " ", "$", r"\(", r"\)", "\\", "7", "\n", "答"]),
    max_size=12,
).map("".join)


def cases(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@each_case(
    "text, content",
    [
        (r"So it is \boxed{7}.", "7"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{1}, no: \boxed{2}", "2"),
        (r"\boxed {7}", "7"),
        ("\\boxed\n{7}", "7"),
        (r"\boxed{ 7 }", " 7 "),
        (r"\boxed{}", ""),
        (r"\boxed{{A}}", "{A}"),
        (r"\boxed{\boxed{7}}", "7"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed{\}}", r"\}"),
        (r"\boxed{\begin{matrix}1\\{2}\end{matrix}}", r"\begin{matrix}1\\{2}\end{matrix}"),
        (r"\\boxed{7}", "7"),
        (r"{ } } \boxed{7}", "7"),
        (r"{ \boxed{7}", "7"),
        (r"Thus \fbox{7}.", "7"),
        (r"\boxed{1}, no: \fbox{2}", "2"),
        (r"\fbox{1}, no: \boxed{2}", "2"),
    ],
)
def test_the_last_box_is_read_verbatim(text, content):
    assert last_box(text) == content


@each_case(
    "text, contents",
    [
        (r"\fbox{42}", ["42"]),
        (r"\fbox 42", ["42"]),
        (r"\boxed 42", ["42"]),
        (r"\boxed{\fbox{42}}", ["42"]),
        (r"\fbox{\boxed{42}}", ["42"]),
        (r"\fbox{1} or \boxed{2}", ["1", "2"]),
        (r"\boxed{1} or \fbox{2}", ["1", "2"]),
        (r"\fbox{1}. Then \fbox{2}.", ["2"]),
        (r"\fbox{\frac{1}{2}}", [r"\frac{1}{2}"]),
        (r"\fbox{42", []),
        (r"\framebox{42}", []),
    ],
)
def test_a_frame_is_a_box(text, contents):
    assert last_boxes(text) == contents


def test_a_box_that_is_never_closed_is_passed_over():
    assert last_box(r"\boxed{1} and \boxed{2") == "1"


@each_case("text", [r"\boxed{1}. Put it into \boxed{}.", r"\boxed{1}, \boxed{ }", r"\boxed{}</think>\boxed{1}\fbox{$}"])
def test_a_blank_box_takes_no_answer_back(text):
    assert last_box(text) == "1"
    assert last_boxes(text) == ["1"]


def test_a_response_whose_boxes_are_blank_has_not_the_answer_of_its_thoughts():
    assert last_box(r"\boxed{7}</think> so \boxed{}") == ""


@each_case("text", ["", "7", r"\boxed{7", r"\boxed 7", r"\boxed", r"boxed{7}", r"\boxedx{7}", r"\fboxed{7}"])
def test_there_may_be_no_box(text):
    assert last_box(text) is None


@given(texts, st.text(st.sampled_from("ab \n"), max_size=5).filter(str.strip), texts)
def test_a_box_written_last_is_the_one_that_is_read(before, content, after):
    after = after.replace("\\", "").replace("{", "").replace("}", "")
    assert last_box(rf"{before} \boxed{{{content}}}{after}") == content


@pytest.mark.parametrize("name", ["sp3f_boxed_cases.jsonl", "sp3f_boxed_more_cases.jsonl"])
def test_the_official_reader_gives_what_the_published_code_gave(name):
    for case in cases(name):
        assert official_box(case["input"]) == case["expected"], case["input"]


@given(st.text() | texts)
def test_no_text_is_too_strange(text):
    assert isinstance(official_box(text), str)
    box = last_box(text)
    assert box is None or box in text


@pytest.mark.parametrize(
    "piece",
    [r"\boxed{", r"\fbox{", r"\fbox ", r"\boxed ", r"\boxed{1}", "{", "}", "\\", " ", r"\(", r"\boxed" + " " * 50],
)
@pytest.mark.parametrize("read", [last_box, last_boxes, official_box])
def test_a_long_text_of_anything_is_read_in_linear_time(read, piece):
    refuse_growth(piece, read, many(piece, before=r"\boxed"))
