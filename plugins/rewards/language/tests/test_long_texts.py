"""A long text of any shape, one word among them, is read in linear time."""

import pytest
from helpers.long_texts import assert_linear, reward

pytestmark = pytest.mark.slow


def test_of_any_shape():
    """A word of 130,000 letters took two minutes."""
    assert_linear(reward("language/fidelity", language="de"), length=100_000)


@pytest.mark.nightly
def test_of_any_shape_where_english_may_be_mixed():
    assert_linear(reward("language/fidelity", language="en"), length=100_000)
