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


def test_verl_keeps_every_law_but_that_of_the_same_completions(jobs, model_folder, toy, tmp_path):
    """And no process of its jobs is left, however they end."""
    recipe = RECIPE.replace("MODEL", str(model_folder("llama"))).replace("ENGINE", json.dumps(jobs.ON_CPU))
    tried = list(BACKEND)
    with jobs.ray_environment(tmp_path) as (environment, left):
        environment["REWARDLAB_CPU_ENGINE_TOKENS"] = "8"
        [result] = check_backend(recipe, environment=environment, only=tried)
        assert not left()
    assert [outcome.law for outcome in result.of("off")] == ["same"]
    assert [outcome.law for outcome in result.of("held")] == [law for law in tried if law != "same"]
