"""Every law of datasets for embed/diverse, with a tiny real model in its own process."""

import pytest
from rewardlab.testing import check_dataset


@pytest.mark.nightly
def test_every_law_holds_but_those_of_a_stream(tiny_model):
    for tried in check_dataset("embed/diverse", options={"model": str(tiny_model)}):
        assert {o.law: o.why for o in tried.outcomes if o.state not in ("held", "nothing", "off")} == {}
        assert {o.law for o in tried.outcomes if o.state == "off"} == {"streaming", "going_on"}
