"""verl under the laws that every engine keeps."""

import json

import pytest
from rewardlab.laws import BACKEND
from rewardlab.testing import check_backend

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl]


def test_verl_keeps_every_law_but_that_of_the_same_completions(jobs, model_folder, toy, tmp_path):
    """And no process of its jobs is left, however they end; some laws are tried at night alone (test_nightly.py)."""
    recipe = jobs.laws_recipe(model_folder("llama"))
    tried = [law for law in BACKEND if law not in jobs.AT_NIGHT]
    with jobs.ray_environment(tmp_path) as (environment, left):
        environment["REWARDLAB_CPU_ENGINE_TOKENS"] = "8"
        [result] = check_backend(recipe, environment=environment, only=tried)
        assert not left()
    assert [outcome.law for outcome in result.of("off")] == ["same"]
    assert [outcome.law for outcome in result.of("held")] == [law for law in tried if law != "same"]


def test_a_completion_without_a_value_has_no_vote_in_verls_own_batch(jobs, model_folder, toy, tmp_path):
    """Of reinforce_baseline, which looks at the whole step; verl's would whiten tokens, masked ones with them."""
    recipe = jobs.laws_recipe(model_folder("llama")).replace("grpo", "reinforce_baseline")
    told = tmp_path / "received.jsonl"
    with jobs.ray_environment(tmp_path) as (environment, _):
        environment |= {"REWARDLAB_CPU_ENGINE_TOKENS": "8", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
        [result] = check_backend(
            recipe, environment=environment, only=["masked"], received=lambda run: jobs.received(run, told)
        )
    assert [outcome.law for outcome in result.of("held")] == ["masked"]
    for batch in map(json.loads, told.read_text().splitlines()):
        assert all(len(tokens) == 1 for *_, tokens in batch), "one advantage for every token of a completion"
