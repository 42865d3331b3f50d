"""Averages of cells: languages within a task first, then tasks."""

import pytest
from helpers.each_case import each_case
from rewardlab.errors import UserError
from rewardlab_measure.tables.layout import OVERALL, Cell, Merge, TableLayout, TablePlace, parse_merge

CELLS = [Cell("math", "de"), Cell("math", "zh-cn"), Cell("math", "zh-tw"), Cell("reading", "de"), Cell("reading", "zh")]


def weights(layout, place):
    return {f"{cell.task} {cell.language}": pytest.approx(w) for cell, w in layout.weights(place).items()}


def test_a_task_is_the_mean_of_its_languages_and_the_whole_the_mean_of_the_tasks():
    layout = TableLayout(CELLS)
    assert weights(layout, TablePlace("math", None)) == {"math de": 1 / 3, "math zh-cn": 1 / 3, "math zh-tw": 1 / 3}
    assert weights(layout, OVERALL) == {
        **{"math de": 1 / 6, "math zh-cn": 1 / 6, "math zh-tw": 1 / 6},
        **{"reading de": 1 / 4, "reading zh": 1 / 4},
    }


def test_merged_languages_are_one():
    layout = TableLayout(CELLS, [parse_merge("math/zh=zh-cn+zh-tw")])
    assert layout.languages() == ["de", "zh"]
    assert weights(layout, TablePlace("math", "zh")) == {"math zh-cn": 1 / 2, "math zh-tw": 1 / 2}
    assert weights(layout, TablePlace("math", None)) == {"math de": 1 / 2, "math zh-cn": 1 / 4, "math zh-tw": 1 / 4}
    assert weights(layout, TablePlace(None, "zh")) == {"math zh-cn": 1 / 4, "math zh-tw": 1 / 4, "reading zh": 1 / 2}


def test_merged_languages_may_count_as_one_each():
    layout = TableLayout(CELLS, [parse_merge("math/zh=zh-cn+zh-tw:each")])
    assert weights(layout, TablePlace("math", "zh")) == {"math zh-cn": 1 / 2, "math zh-tw": 1 / 2}
    assert weights(layout, TablePlace("math", None)) == {"math de": 1 / 3, "math zh-cn": 1 / 3, "math zh-tw": 1 / 3}


def test_of_merged_languages_those_that_are_there_count():
    cells, each = CELLS[:2], parse_merge("zh=zh-cn+zh-tw:each")
    assert weights(TableLayout(cells, [each]), OVERALL) == {"math de": 1 / 2, "math zh-cn": 1 / 2}
    merged_already = [Cell("math", "de"), Cell("math", "zh")]
    assert weights(TableLayout(merged_already, [each]), OVERALL) == {"math de": 1 / 3, "math zh": 2 / 3}


@pytest.mark.parametrize("text", ["zh=zh-cn+zh-tw", "math/zh=zh-cn+zh-tw:each"])
def test_a_merge_is_shown_as_it_is_written(text):
    assert str(parse_merge(text)) == text


def test_every_average_has_weights_that_add_up_to_one():
    layout = TableLayout(CELLS, [Merge(language="zh", parts=("zh-cn", "zh-tw"))])
    assert [sum(layout.weights(place).values()) for place in layout.places()] == pytest.approx([1] * 9)


def test_a_language_that_a_task_lacks_has_no_average_there():
    assert layout_without().weights(TablePlace("math", "sw")) == {}


def layout_without():
    return TableLayout([*CELLS, Cell("reading", "sw")])


@each_case("text", ["zh", "=a+b", "zh=", "zh=a+", "/zh=a"])
def test_another_form_of_a_merge_is_refused(text):
    with pytest.raises(UserError, match="zh=zh-cn"):
        parse_merge(text)
