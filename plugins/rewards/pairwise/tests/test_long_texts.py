"""A long text from a judge or a policy is read in linear time."""

import pytest
from helpers.long_texts import assert_linear

pytestmark = pytest.mark.nightly  # in CI, tests/text/test_growth.py reads other shapes


@pytest.mark.parametrize(
    "read",
    [
        "verdict(text)",
        r"verdict(text + '\\boxed{A}', [text, text[:200000]], 'key')",
        r"verdict('\\boxed{B}', [text + '.'], 'key')",
        "official_verdict(text)",
    ],
)
def test_a_judges_reply(read):
    """64,000 line breaks behind an opened box took a minute for each comparison, on the event loop."""
    assert_linear(f"from rewardlab_pairwise.verdicts import official_verdict, verdict; {read}")


def test_what_overlap_compares():
    assert_linear("from rewardlab_pairwise.maths import maths; maths(text)")
