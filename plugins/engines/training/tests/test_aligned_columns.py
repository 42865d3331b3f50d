"""Rows of cells as lines with aligned columns."""

import pytest
from rewardlab_training import columns, display_width


def test_each_column_is_as_wide_as_its_widest_cell_and_no_line_ends_in_blanks():
    assert columns([["name", "kind"], ["a", ""], ["longer name", "b"]]) == [
        "name         kind",
        "a",
        "longer name  b",
    ]


def test_a_sign_aligns_its_column_and_the_last_one_all_that_follow():
    rows = [["", "total", "a", ""], ["x", "1.5", "0.25", "WINS"]]
    assert columns(rows, align="<>") == ["   total     a", "x    1.5  0.25  WINS"]
    assert columns(rows, align="<>><") == ["   total     a", "x    1.5  0.25  WINS"]
    assert columns([["a", "b"], ["cc", "dd"]], align=">") == [" a   b", "cc  dd"]


def test_cells_are_as_wide_as_a_terminal_shows_them():
    rows = [["中文", "1"], ["ＡＢ", "2"], ["e\u0301e\u0301", "3"], ["می\u200cخ", "4"], ["– é", "5"]]
    assert columns(rows) == ["中文  1", "ＡＢ  2", "e\u0301e\u0301    3", "می\u200cخ   4", "– é   5"]
    assert columns([["中"], ["abc"]], align=">") == [" 中", "abc"]
    assert [display_width(row[0]) for row in rows] == [4, 4, 2, 3, 3]


def test_no_rows_are_no_lines_and_rows_of_different_length_are_refused():
    assert columns([]) == []
    with pytest.raises(ValueError, match="shorter"):
        columns([["a", "b"], ["c"]])
