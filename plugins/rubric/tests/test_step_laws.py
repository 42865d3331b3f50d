"""The data steps keep every law of datasets, under every example, but what an example switches off by name."""

import pytest
from rewardlab.testing import check_dataset

ORDERED = {"streaming", "going_on"}
OFF = {"rubric/agreeing (so many rows)": ORDERED, "rubric/preferences (one of parallel rows)": ORDERED}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["distilled", "agreeing", "preferences", "negatives", "summarised", "rubrics"])
def test_every_law_holds(name):
    for tried in check_dataset(f"rubric/{name}"):
        wanting = {one.law: one.why for one in tried.outcomes if one.state not in ("held", "nothing")}
        assert wanting.keys() == OFF.get(tried.title, set())
        assert {one.state for one in tried.outcomes if one.law in wanting} <= {"off"}
