"""Every law of datasets, under every example of language/translated."""

import pytest
from rewardlab.testing import check_dataset


@pytest.mark.slow
def test_every_law_holds():
    tried = check_dataset("language/translated")
    for one in tried:
        assert {outcome.law: outcome.why for outcome in one.outcomes if outcome.state not in ("held", "nothing")} == {}
    assert all(outcome.tries for outcome in tried[0].outcomes)
