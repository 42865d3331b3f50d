"""The laws of rewards under the designs in which equal answers meet different others, and so get different values."""

from dataclasses import replace

import pytest
from rewardlab import find
from rewardlab.testing import check_reward
from rewardlab_pairwise.examples import win_rate

SPEC = find("reward", "pairwise/win_rate")
UNEQUAL = "who wins as much as another meets others than that one, which moves its value"
OFF = dict.fromkeys(("prompt_copy", "repetition", "padding"), UNEQUAL)
LAWS = {"range", "order", "repeat", "permutation", "batch", "arrival", "worker", "unanswered", "antisymmetry", "empty"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"design": "swiss"}, {"design": "knockout"}, {"design": "adaptive"}],
    ids=lambda options: options["design"],
)
def test_a_design_keeps_the_laws(options):
    example = replace(win_rate()[0], options={"judge": "answer_key", **options})
    spec = replace(SPEC, laws=replace(SPEC.laws, examples=lambda: [example], off=OFF))
    (result,) = check_reward(spec, tries=10)
    assert {outcome.law for outcome in result.of("held")} >= LAWS
