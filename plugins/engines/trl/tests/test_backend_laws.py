"""TRL under the laws that every engine keeps: on a CPU to the last bit, `same` included."""

import os

import pytest
from helpers.equal_rewards import assert_equal
from helpers.trl_batches import told_batches
from rewardlab.testing import check_backend
from rewardlab_testing.outcomes.law_words import BACKEND

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


@pytest.fixture
def told(tmp_path):
    return told_batches(tmp_path)


@pytest.fixture
def checked(toy, told):
    """`checked(*overrides, only=...)`: the laws that hold; what the trainer received is read from its own batches."""

    def check(*overrides, only=None):
        environment, received = told
        [result] = check_backend(RECIPE, overrides, environment=environment, received=received, only=only)
        return [outcome.law for outcome in result.of("held")]

    return check


def test_trl_keeps_every_law(checked):
    assert checked() == [*BACKEND]


def test_a_completion_without_a_value_has_no_vote(checked):
    """Of each algorithm that is not grpo's, a stage each of one run."""
    others = ("dr_grpo", "rloo", "reinforce_baseline")
    sizes = "group_size: 4, batch_size: 2, steps: 3, max_new_tokens: 8"
    stages = ", ".join(f"{{use: rl, algorithm: {algorithm}, {sizes}}}" for algorithm in others)
    assert checked(f"stages=[{stages}]", only=["masked"]) == ["masked"]


@pytest.mark.nightly
@pytest.mark.parametrize("normalizers", ["normalize/std", "normalize/gdpo"])
def test_nor_has_it_one_in_a_normalizer(checked, normalizers):
    """Of gdpo in the statistics of none of three components, nor in those of the step."""
    overrides = ("stages.0.algorithm=dr_grpo", f"reward.normalize=[{normalizers}]")
    assert checked(*overrides, only=["masked"]) == ["masked"]


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_trl_trains_on_the_rewards_that_score_gives(told, judge_server, tmp_path, processes):
    environment, received = told
    backend = {"use": "trl", "device": "cpu", "processes": processes}
    name = "trl" if processes == 1 else f"trl, {processes} processes"
    assert_equal(name, tmp_path, judge_server, backend, {**os.environ, **environment}, received)
