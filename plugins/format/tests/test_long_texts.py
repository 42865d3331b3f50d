"""A megabyte of any shape is read in linear time."""

import pytest
from helpers.long_texts import assert_linear, reward

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("use", ["format/boxed", "format/tags"])
def test_of_any_shape(use):
    assert_linear(reward(use))
