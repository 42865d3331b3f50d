"""The data steps keep every law of datasets, under every example."""

import pytest
from rewardlab.testing import check_dataset


@pytest.mark.slow
@pytest.mark.parametrize("name", ["distilled", "agreeing", "negatives", "summarised", "rubrics"])
def test_every_law_holds(name):
    for tried in check_dataset(f"rubric/{name}"):
        assert {one.law: one.why for one in tried.outcomes if one.state not in ("held", "nothing")} == {}
