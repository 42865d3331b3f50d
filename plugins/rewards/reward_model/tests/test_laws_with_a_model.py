"""reward_model/score keeps the laws of rewards, with a tiny real model in its own process."""

import pytest
from rewardlab import installed
from rewardlab_testing.laws.run_laws import try_laws
from rewardlab_testing.outcomes.law_words import REWARD
from rewardlab_testing.outcomes.messages import broken_text

pytestmark = pytest.mark.slow  # starts processes that load torch

REGISTRY = installed()
SPEC = REGISTRY.find("reward", "reward_model/score")


def test_the_laws_hold(tiny_model):
    laws = [law for law in REWARD if law not in ("worker", "ray")]
    given = {"model": str(tiny_model())}
    tried = try_laws(SPEC, plugin=REGISTRY.plugin("reward_model"), given=given, tries=1, only=laws)
    assert broken_text(tried) == ""
