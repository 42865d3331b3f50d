"""Every law of normalizers, under every example."""

import pytest
from rewardlab import Context
from rewardlab.registry import Registry
from rewardlab.testing import check_normalizer


@pytest.mark.slow
@pytest.mark.parametrize("name", ["center", "std", "length"])
def test_every_law_holds(name):
    for tried in check_normalizer(f"normalize/{name}"):
        assert {
            outcome.law: outcome.why for outcome in tried.outcomes if outcome.state not in ("held", "nothing")
        } == {}


def test_which_subset_gives_the_deviation_does_not_depend_on_the_order_of_the_pool():
    spec = Registry().find("normalizer", "normalize/std")
    std = spec.build(spec.config(subset=4), Context())
    pool = [0.0, 1.0, 0.25, 0.5, 3.0, 0.0, 2.0]
    for seed in range(20):
        shaped = std.shape(pool, None, range(7), seed)
        assert std.shape(pool[::-1], None, range(7), seed) == shaped[::-1]
