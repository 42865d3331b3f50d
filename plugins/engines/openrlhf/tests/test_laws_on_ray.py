"""The law `ray`: in an actor a reward that keeps it answers as here, and one that lives on its process does not."""

import sys

import pytest

pytest.importorskip("ray", reason="needs the environment of the OpenRLHF backend")

import ray
from rewardlab_testing.laws.run_laws import try_laws

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]


@pytest.mark.nightly
def test_a_reward_that_lives_on_its_process_is_caught_in_an_actor(module_of, monkeypatch):
    rewards = module_of("law_rewards.py")
    monkeypatch.setattr(rewards, "REMEMBERED", ["an earlier call"])
    [remembering] = [spec for spec in rewards.BROKEN["worker"] if spec.name == "by-module"]

    [kept] = _outcomes(rewards.KEPT)
    assert (kept.state, kept.why) == ("held", "")
    assert not ray.is_initialized(), "what the law started it ends"
    with ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False):
        [group], [broken] = _outcomes(rewards.WON), _outcomes(remembering)
        assert ray.is_initialized(), "what it found running it leaves"
    assert (group.state, group.why) == ("held", "")
    assert broken.state == "broken"
    assert broken.why.endswith("in a Ray actor\ngot: 0.0\nexpected: 1.0, as here")
    assert sys.modules[rewards.__name__] is rewards


def _outcomes(spec):
    [tried] = try_laws(spec, tries=2, only=["ray"])
    return tried.outcomes
