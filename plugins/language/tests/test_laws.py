"""The rewards keep the laws of rewards, except those that their specs switch off."""

import pytest
from rewardlab.laws import REWARD
from rewardlab.registry import Registry
from rewardlab.testing.messages import broken_text
from rewardlab.testing.run_laws import try_laws

pytestmark = pytest.mark.slow  # loads language models

REGISTRY = Registry()
SPECS = [REGISTRY.find("reward", f"language/{name}") for name in ("fidelity", "consistency")]
EXAMPLES = [(spec, example) for spec in SPECS for example in spec.laws.examples()]


@pytest.mark.parametrize(("spec", "example"), EXAMPLES, ids=lambda one: getattr(one, "title", None) or one.name)
def test_every_law_of_one_process_holds(spec, example):
    here = [law for law in REWARD if law not in ("worker", "ray")]
    tried = try_laws(spec, plugin=REGISTRY.plugin("language"), examples=[example], tries=3, only=here)
    assert broken_text(tried) == ""
    assert {outcome.law for outcome in tried[0].of("off")} == {"prompt_copy", "repetition"}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_another_process_answers_the_same(spec):
    tried = try_laws(spec, plugin=REGISTRY.plugin("language"), tries=1, only=["worker"])
    assert {one.outcomes[0].state for one in tried} == {"held"}


def test_the_filter_keeps_the_laws_of_data_steps():
    spec = REGISTRY.find("dataset", "language/filter")
    assert broken_text(try_laws(spec, plugin=REGISTRY.plugin("language"), tries=2)) == ""
