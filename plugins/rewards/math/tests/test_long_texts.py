"""A megabyte of any shape is read in linear time."""

import pytest
from helpers.long_texts import assert_linear, reward

pytestmark = pytest.mark.nightly  # in CI, tests/text/test_growth.py reads other shapes


def test_of_any_shape():
    assert_linear(reward("math/accuracy", answer="4"))
