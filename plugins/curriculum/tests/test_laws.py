"""Every law of curricula, under every example."""

import pytest
from rewardlab.testing import check_curriculum

ORDER, SAMPLER = {"order", "repeat", "worker", "untouched"}, {"worker", "more", "select", "arrival"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "part"), [("shuffle", ORDER), ("difficulty", ORDER), ("balanced", SAMPLER)])
def test_every_law_holds(name, part):
    for tried in check_curriculum(f"curriculum/{name}"):
        assert {
            outcome.law: outcome.why for outcome in tried.outcomes if outcome.state not in ("held", "nothing")
        } == {}
        assert {outcome.law for outcome in tried.outcomes if outcome.tries} == part
