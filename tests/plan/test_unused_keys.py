"""Keys of a reward that nothing uses are told with what to do, where it is certain as a problem."""

import pytest
from rewardlab.errors import UserError
from rewardlab.recipe.loading import load
from rewardlab_training.check import check_recipe

PLUGIN = """
from rewardlab import RewardSpec, hookimpl

@hookimpl
def rewardlab_rewards():
    build = lambda options, context: None
    ways = ("inline", "thread", "async", "worker")
    return [
        *(RewardSpec(name=runs, summary="s", runs=runs, build=build) for runs in ways),
        RewardSpec(name="model", summary="s", opens_workers=True, build=build),
        RewardSpec(name="apart", summary="s", environment="requirements.txt", build=build),
    ]
"""
KEYS = "workers: 2, timeout: 5, memory: 1, threads: 2, device: cpu"


@pytest.fixture
def checked(offer, write):
    """The plan of a recipe with this reward and these keys."""
    offer("mine", PLUGIN)

    def check(name, keys=KEYS):
        text = f"version: 1\nreward:\n  components:\n    a: {{use: mine/{name}, {keys}}}\n  total: a\n"
        return check_recipe(load(write("r.yaml", text)))

    return check


@pytest.mark.parametrize("name", ["worker", "model", "apart"])
def test_where_processes_run_every_key_is_used(checked, name):
    assert checked(name).warnings == []


def test_inline_none_is(checked):
    with pytest.raises(UserError) as error:
        checked("inline")
    told = str(error.value).splitlines()
    keys = ["workers", "timeout", "memory", "threads", "device"]
    assert [line.partition("reward.components.a.")[2].partition(":")[0] for line in told] == keys
    assert told[0].endswith("mine/inline runs inline, in this process: nothing uses `workers`; leave it out")
    assert told[1].endswith("leave it out, or use a reward that declares runs='worker', which can be ended")


@pytest.mark.parametrize(
    ("name", "way"), [("thread", "runs in a thread of this process"), ("async", "is a coroutine of this process")]
)
def test_elsewhere_they_are_used_only_where_the_reward_opens_workers(checked, name, way):
    warnings = checked(name).warnings
    assert len(warnings) == 4, "a device may be used"
    assert f"r.yaml:4: reward.components.a.workers: mine/{name} {way}, so nothing uses `workers`; leave" in warnings[0]
    assert all("opens_workers=True" in warning for warning in warnings)
    assert checked(name, "on_missing: 0.0").warnings == []
