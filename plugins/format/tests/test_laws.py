"""The rewards of form keep the laws of rewards."""

import pytest
from rewardlab.registry import Registry
from rewardlab.testing import check_reward
from rewardlab.testing.messages import broken_text
from rewardlab.testing.run_laws import try_laws

QUICK = ("order", "empty", "prompt_copy")
SPECS = [Registry().find("reward", f"format/{name}") for name in ("boxed", "tags", "validity", "overlong")]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_quick_laws_hold(spec):
    tried = try_laws(spec, tries=1, only=QUICK)
    assert broken_text(tried) == ""
    assert all(len(one.of("held")) == len(set(QUICK) - spec.laws.off.keys()) for one in tried)


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_law_holds(spec):
    assert all(tried.of("held") for tried in check_reward(f"format/{spec.name}", tries=5))
    assert spec.laws.off.keys() == ({"empty", "prompt_copy"} if spec.name == "overlong" else set())
