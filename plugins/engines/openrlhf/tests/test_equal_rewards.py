"""The rewards of OpenRLHF's own loop are those of `rewardlab score`; what its trainer receives follows from them."""

import pytest
from helpers.equal_rewards import assert_equal

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]


def test_openrlhf_trains_on_the_rewards_that_score_gives(jobs, judge_server, tmp_path):
    told = tmp_path / "received.jsonl"
    engine = {"sleep": False, "zero_stage": 1, "packing": False}
    backend = {"use": "openrlhf", "gpus_per_node": 1, "engine": engine}
    with jobs.ray_environment(tmp_path) as (environment, _):
        environment["REWARDLAB_CPU_ENGINE_RECEIVED"] = str(told)
        assert_equal("openrlhf", tmp_path, judge_server, backend, environment, lambda run: jobs.received(run, told))
