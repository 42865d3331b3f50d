"""The rewards of verl's own loop are those of `rewardlab score`, and what its trainer receives follows from them."""

import pytest
from helpers.equal_rewards import assert_equal

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl]


def test_verl_trains_on_the_rewards_that_score_gives(jobs, judge_server, tmp_path):
    told = tmp_path / "received.jsonl"
    backend = {"use": "verl", "gpus_per_node": 1, "precision": "fp32", "engine": jobs.ON_CPU}
    with jobs.ray_environment(tmp_path) as (environment, _):
        environment |= {"REWARDLAB_CPU_ENGINE_TOKENS": "12", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
        assert_equal("verl", tmp_path, judge_server, backend, environment, lambda run: jobs.received(run, told))
