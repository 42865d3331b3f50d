"""Every law of datasets for embed/distinct, with a tiny real model."""

import pytest
from rewardlab.testing import check_dataset


@pytest.mark.slow
def test_every_law_holds(tiny_model):
    (tried,) = check_dataset("embed/distinct", options={"model": str(tiny_model)})
    assert {outcome.law: outcome.why for outcome in tried.outcomes if outcome.state not in ("held", "nothing")} == {}


def test_without_a_model_it_says_what_it_needs():
    (tried,) = check_dataset("embed/distinct")
    assert {outcome.why for outcome in tried.outcomes} == {"needs model=..."}
