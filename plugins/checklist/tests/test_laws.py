"""The rewards by checklist keep the laws of rewards."""

from dataclasses import replace

import pytest
from rewardlab.laws import REWARD
from rewardlab.registry import Registry
from rewardlab.testing.messages import broken_text
from rewardlab.testing.run_laws import try_laws

QUICK = ("order", "empty", "unanswered", "required", "padding", "prompt_copy", "info")
REGISTRY = Registry()
PLUGIN = REGISTRY.plugin("checklist")
SPECS = [REGISTRY.find("reward", f"checklist/{name}") for name in ("reasoning", "answer", "task")]
CASES = [pytest.param(spec, one, id=f"{spec.name}-{one.title}") for spec in SPECS for one in spec.laws.examples()]


@pytest.mark.parametrize(("spec", "example"), CASES)
def test_the_quick_laws_hold(spec, example):
    assert broken_text(try_laws(spec, examples=[example], tries=1, only=QUICK)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_law_holds(spec):
    first, *others = spec.laws.examples()
    here = [law for law in REWARD if law not in ("worker", "ray")]
    tried = [one for example in others for one in try_laws(spec, examples=[example], tries=2, only=here)]
    tried += try_laws(replace(spec, laws=replace(spec.laws, examples=lambda: [first])), plugin=PLUGIN, tries=5)
    assert broken_text(tried) == ""
    assert not spec.laws.off
