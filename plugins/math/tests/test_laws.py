"""math/accuracy keeps the laws of rewards, whatever it extracts and in both profiles."""

from dataclasses import replace

import pytest
from rewardlab.laws import REWARD
from rewardlab.registry import Registry
from rewardlab.testing.messages import broken_text
from rewardlab.testing.run_laws import try_laws

QUICK = ("order", "required", "empty", "prompt_copy", "hedge")
REGISTRY = Registry()
SPEC, PLUGIN = REGISTRY.find("reward", "math/accuracy"), REGISTRY.plugin("math")
READ = [example for example in SPEC.laws.examples() if "formulas" not in example.title]


@pytest.mark.parametrize("example", READ, ids=lambda example: example.title)
def test_the_quick_laws_hold(example):
    tried = try_laws(SPEC, examples=[example], tries=1, only=QUICK)
    assert broken_text(tried) == ""
    assert len(tried[0].of("held")) == len(QUICK) - (example.hedge is None)


@pytest.mark.slow
def test_every_law_holds():
    first, *others = SPEC.laws.examples()
    here = [law for law in REWARD if law not in ("worker", "ray")]
    tried = [one for example in others for one in try_laws(SPEC, examples=[example], tries=2, only=here)]
    tried += try_laws(replace(SPEC, laws=replace(SPEC.laws, examples=lambda: [first])), plugin=PLUGIN, tries=5)
    assert broken_text(tried) == ""
    assert "worker" in {outcome.law for outcome in tried[-1].of("held")}
    assert not SPEC.laws.off
