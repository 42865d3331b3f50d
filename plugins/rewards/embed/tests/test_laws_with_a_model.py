"""embed/cosine and embed/translated_cosine keep the laws of rewards, with a tiny real model."""

import pytest
from rewardlab import installed
from rewardlab_testing.laws.run_laws import try_laws
from rewardlab_testing.outcomes.law_words import REWARD
from rewardlab_testing.outcomes.messages import broken_text

pytestmark = pytest.mark.slow  # starts processes that load torch

REGISTRY = installed()
NAMES = ["cosine", pytest.param("translated_cosine", marks=pytest.mark.nightly)]


@pytest.mark.parametrize("name", NAMES)
def test_the_laws_hold(name, tiny_model):
    spec = REGISTRY.find("reward", f"embed/{name}")
    laws = [law for law in REWARD if law not in ("worker", "ray")]
    given = {"model": str(tiny_model)}
    tried = try_laws(spec, plugin=REGISTRY.plugin("embed"), given=given, tries=1, only=laws)
    assert broken_text(tried) == ""
