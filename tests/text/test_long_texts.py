"""A megabyte of any shape is read in linear time."""

import pytest
from helpers.long_texts import assert_linear

pytestmark = pytest.mark.nightly  # in CI, test_growth.py reads other shapes


@pytest.mark.parametrize("read", ["last_box", "official_box", "sections.split", "sections.answer", "printable"])
def test_of_any_shape(read):
    imports = "from rewardlab.text import printable; from rewardlab_answers import last_box, official_box, sections"
    assert_linear(f"{imports}; {read}(text)")
