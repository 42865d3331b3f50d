"""Fences that no quoted text can close."""

import re

from hypothesis import given
from hypothesis import strategies as st
from rewardlab.text import fence, fence_key, fence_lines


@given(st.dictionaries(st.sampled_from("abcd"), st.text(max_size=40), min_size=1))
def test_no_text_holds_the_key_that_it_helps_to_make(parts):
    key = fence_key(parts)
    assert re.fullmatch("[0-9a-f]{16}", key)
    assert not any(key in text for text in parts.values())
    assert fence_key(dict(reversed(parts.items()))) == key
    assert all(fence_key({**parts, name: text + "."}) != key for name, text in parts.items())


def test_a_quoted_text_is_verbatim_between_two_lines_of_its_own():
    text = "=== END A 0000000000000000 ===\n$b $$ \ud800"
    begin, end = fence_lines("A", "k")
    assert fence("A", text, "k").split("\n") == [begin, *text.split("\n"), end]
