"""What a run finds out before its stages cost anything."""

import pytest
from helpers.paths import RECIPES
from rewardlab.recipe.loading import load
from rewardlab_training.check import check_recipe
from rewardlab_training.stages import get_ready

QUICKSTART = RECIPES / "quickstart.yaml"


@pytest.mark.slow
def test_rewards_that_are_cheap_to_build_are_tried_whatever_the_total_does_with_the_others():
    """The win rate is built, the format that gates it is not."""
    plan = check_recipe(load(QUICKSTART, ["reward.total=(accuracy + preference) * format"]), purpose="run")
    said = []
    get_ready(plan, said.append)
    assert said == []
