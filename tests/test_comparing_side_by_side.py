"""Texts and numbers of a group as a terminal shows them."""

import pytest
from rewardlab.comparing.side_by_side import excerpt


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 10, "short"),
        ("two\n\tlines  here", 20, "two lines here"),
        ("the beginning and the end", 15, "the be...he end"),
        ("\x1b[31mred\x07", 20, "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}"),
        ("中文中文中文", 9, "中文...文"),
        ("می\u200cخواهم", 20, "می\u200cخواهم"),
        ("", 10, ""),
    ],
)
def test_an_excerpt_has_both_ends_on_one_line(text, width, shown):
    assert excerpt(text, width) == shown
