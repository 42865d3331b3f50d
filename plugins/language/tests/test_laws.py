"""language/fidelity keeps the laws of rewards, except those that its spec switches off."""

import pytest
from rewardlab.laws import REWARD
from rewardlab.registry import Registry
from rewardlab.testing.messages import broken_text
from rewardlab.testing.run_laws import try_laws

pytestmark = pytest.mark.slow  # loads language models

REGISTRY = Registry()
SPEC = REGISTRY.find("reward", "language/fidelity")


@pytest.mark.parametrize("example", SPEC.laws.examples(), ids=lambda example: example.title)
def test_every_law_of_one_process_holds(example):
    here = [law for law in REWARD if law not in ("worker", "ray")]
    tried = try_laws(SPEC, plugin=REGISTRY.plugin("language"), examples=[example], tries=3, only=here)
    assert broken_text(tried) == ""
    assert {outcome.law for outcome in tried[0].of("off")} == {"prompt_copy", "repetition"}


def test_another_process_answers_the_same():
    tried = try_laws(SPEC, plugin=REGISTRY.plugin("language"), tries=1, only=["worker"])
    assert {one.outcomes[0].state for one in tried} == {"held"}
