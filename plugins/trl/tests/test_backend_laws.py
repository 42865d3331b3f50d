"""TRL under the laws that every engine keeps: on a CPU to the last bit, `same` included."""

import pytest
from rewardlab.laws import BACKEND
from rewardlab.testing import check_backend

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: data/arithmetic, with: {kind: prompts, rows: 40}, holdout: 0.1}
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
    updates_per_batch: 2
    steps: 4
    max_new_tokens: 8
    learning_rate: 1.0e-3
    eval: {samples: 2, prompts: 2}
backend: {use: trl, device: cpu}
"""


def test_trl_keeps_every_law(toy):
    [result] = check_backend(RECIPE)
    assert [outcome.law for outcome in result.of("held")] == [*BACKEND]
