"""verl under the laws that every engine keeps."""

import json

import pytest
from rewardlab.laws import BACKEND
from rewardlab.testing import check_backend

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl]

RECIPE = """
version: 1
seed: 1
model: MODEL
dataset: {use: toy/counting, with: {rows: 32}}
reward:
  components:
    letters: {use: toy/letters}
    longest: {use: toy/longest}
    accuracy: {use: math/accuracy, workers: 1}
  total: letters + 0.1 * longest + accuracy
stages:
  - use: rl
    algorithm: grpo
    group_size: 4
    batch_size: 2
    micro_batch_size: 8
    steps: 3
    max_new_tokens: 8
    save_every: 1
backend: {use: verl, gpus_per_node: 1, precision: fp32, engine: ENGINE}
"""


ELSEWHERE = ("whole", "scores", "masked", "stop", "failures")
"""laws that cost a job or two, which others make: test_equal_rewards.py asks what `whole` and `scores` ask, a stop goes
the way of Ctrl-C, which `resume` tries, a job that ends by a failure is in test_end_to_end.py, and `masked` is below"""


def test_verl_keeps_every_law_but_that_of_the_same_completions(jobs, model_folder, toy, tmp_path):
    """And no process of its jobs is left, however they end."""
    recipe = RECIPE.replace("MODEL", str(model_folder("llama"))).replace("ENGINE", json.dumps(jobs.ON_CPU))
    tried = [law for law in BACKEND if law not in ELSEWHERE]
    with jobs.ray_environment(tmp_path) as (environment, left):
        environment["REWARDLAB_CPU_ENGINE_TOKENS"] = "8"
        [result] = check_backend(recipe, environment=environment, only=tried)
        assert not left()
    assert [outcome.law for outcome in result.of("off")] == ["same"]
    assert [outcome.law for outcome in result.of("held")] == [law for law in tried if law != "same"]


def test_a_completion_without_a_value_has_no_vote_in_verls_own_batch(jobs, model_folder, toy, tmp_path):
    """Of reinforce_baseline, which looks at the whole step; verl's would whiten tokens, masked ones with them."""
    recipe = RECIPE.replace("MODEL", str(model_folder("llama"))).replace("ENGINE", json.dumps(jobs.ON_CPU))
    recipe = recipe.replace("grpo", "reinforce_baseline")
    told = tmp_path / "received.jsonl"
    with jobs.ray_environment(tmp_path) as (environment, _):
        environment |= {"REWARDLAB_CPU_ENGINE_TOKENS": "8", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
        [result] = check_backend(
            recipe, environment=environment, only=["masked"], received=lambda run: jobs.received(run, told)
        )
    assert [outcome.law for outcome in result.of("held")] == ["masked"]
    for batch in map(json.loads, told.read_text().splitlines()):
        assert all(len(tokens) == 1 for *_, tokens in batch), "one advantage for every token of a completion"
