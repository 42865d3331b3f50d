"""What a run finds out before its stages cost anything."""

from pathlib import Path

from rewardlab.loading import load
from rewardlab.plan import make_plan
from rewardlab.readiness import get_ready

QUICKSTART = Path(__file__).parents[1] / "recipes" / "quickstart.yaml"


def test_rewards_that_are_cheap_to_build_are_tried_whatever_the_total_does_with_the_others():
    """The win rate is built, the format that gates it is not."""
    plan = make_plan(load(QUICKSTART, ["reward.total=(accuracy + preference) * format"]), purpose="run")
    said = []
    get_ready(plan, said.append)
    assert said == []
