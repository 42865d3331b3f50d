"""Every law of datasets for embed/distinct, with a tiny real model."""

import pytest
from rewardlab.testing import check_dataset


@pytest.mark.slow
def test_every_law_holds(tiny_model):
    streamed, ranked = check_dataset("embed/distinct", options={"model": str(tiny_model)})
    assert {o.law: o.why for o in streamed.outcomes if o.state not in ("held", "nothing")} == {}
    assert {o.law for o in ranked.outcomes if o.state not in ("held", "nothing")} == {"streaming", "going_on"}
    assert {o.state for o in ranked.outcomes if o.law in ("streaming", "going_on")} == {"off"}


def test_without_a_model_it_says_what_it_needs():
    tried = check_dataset("embed/distinct")
    assert {outcome.why for each in tried for outcome in each.outcomes if outcome.state != "off"} == {"needs model=..."}
