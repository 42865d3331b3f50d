"""comet/answer keeps the laws of rewards, except the order of good and bad answers: its weights here are random."""

from dataclasses import replace

import pytest
from rewardlab import installed
from rewardlab_testing.laws.run_laws import try_laws
from rewardlab_testing.outcomes.law_words import REWARD
from rewardlab_testing.outcomes.messages import broken_text

pytestmark = pytest.mark.slow  # starts processes that load COMET

REGISTRY = installed()
SPEC = REGISTRY.find("reward", "comet/answer")


@pytest.mark.nightly
def test_the_laws_hold_for_any_weights(tiny, comet_python):
    given = {"checkpoint": str(tiny), "environment": {"python": comet_python}, "exact_match": True}
    [example, _] = SPEC.laws.examples()
    known = replace(example, bad=[text for text in example.bad if "Katze" not in text])
    laws = [law for law in REWARD if law not in ("worker", "ray")]
    tried = try_laws(SPEC, plugin=REGISTRY.plugin("comet"), examples=[known], given=given, tries=1, only=laws)
    assert broken_text(tried) == ""
