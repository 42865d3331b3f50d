"""What takes minutes with verl's own loop: the quickstart learns, as with trl; the laws that CI leaves out hold."""

import pytest
from helpers.learning import assert_lifts_the_held_out_total
from rewardlab.testing import check_backend

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = pytest.mark.nightly


def test_verl_lifts_the_held_out_total(jobs, recipe, tmp_path):
    assert_lifts_the_held_out_total("verl", jobs.run(tmp_path, *recipe, limit=900).succeeded().directory)


def test_verl_keeps_the_laws_that_cost_a_job_each(jobs, model_folder, toy, tmp_path):
    told = tmp_path / "received.jsonl"
    with jobs.ray_environment(tmp_path) as (environment, left):
        environment |= {"REWARDLAB_CPU_ENGINE_TOKENS": "8", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
        [result] = check_backend(
            jobs.laws_recipe(model_folder("llama")),
            environment=environment,
            only=jobs.AT_NIGHT,
            received=lambda run: jobs.received(run, told),
        )
        assert not left()
    assert [outcome.law for outcome in result.of("held")] == [*jobs.AT_NIGHT]
