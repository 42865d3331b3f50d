"""A long text of any shape, one word among them, is read in linear time."""

import pytest
from helpers.long_texts import assert_linear, reward

pytestmark = pytest.mark.slow


def test_of_any_shape():
    """A word of 130,000 letters took two minutes."""
    assert_linear(reward("language/fidelity", language="de"), length=200_000)
