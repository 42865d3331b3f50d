"""Every law of judges, under every example of pairwise/overlap."""

import pytest
from rewardlab.testing import check_judge


@pytest.mark.slow
def test_every_law_holds():
    for tried in check_judge("pairwise/overlap"):
        assert {
            outcome.law: outcome.why for outcome in tried.outcomes if outcome.state not in ("held", "nothing")
        } == {}
        untouched = {outcome.law for outcome in tried.outcomes if not outcome.tries}
        assert untouched == {"secrets", "close"}, "it has neither a key nor anything to close"
