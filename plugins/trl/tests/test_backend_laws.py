"""TRL under the laws that every engine keeps: on a CPU to the last bit, `same` included."""

import json
import os
from pathlib import Path

import pytest
from helpers.equal_rewards import assert_equal
from rewardlab.testing import check_backend
from rewardlab_testing.backend_laws.ledger import read_rows
from rewardlab_testing.law_words import BACKEND

pytestmark = pytest.mark.slow
TOLD = Path(__file__).with_name("told_batches")

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
    """The variables by which the trainer tells its batches, and a function of a run that reads what it received."""
    told = tmp_path / "received.jsonl"
    path = os.pathsep.join(filter(None, [str(TOLD), os.environ.get("PYTHONPATH")]))

    def received(directory):
        """(stage, step, sample id) -> advantages; of the last run, whose batches are the last lines."""
        ids = {}
        for row in read_rows(directory):
            if row["phase"] == "training":
                ids.setdefault((row["stage"], row["step"]), []).append(row["id"])
        found = {}
        parts = [path.read_text().splitlines()[-len(ids) :] for path in sorted(tmp_path.glob(f"{told.name}.*"))]
        for (stage, step), *lines in zip(sorted(ids), *parts, strict=True):
            batch = [row for line in lines for row in json.loads(line)]  # that of the first process comes first
            for sample, (_, advantage) in zip(ids[stage, step], batch, strict=True):
                found.setdefault((stage, step, sample), []).append(advantage)
        return found

    return {"PYTHONPATH": path, "REWARDLAB_TRL_RECEIVED": str(told)}, received


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


@pytest.mark.parametrize("normalizers", ["normalize/std", "normalize/gdpo"])
def test_nor_has_it_one_in_a_normalizer(checked, normalizers):
    """Of gdpo in the statistics of none of three components, nor in those of the step."""
    overrides = ("stages.0.algorithm=dr_grpo", f"reward.normalize=[{normalizers}]")
    assert checked(*overrides, only=["masked"]) == ["masked"]


@pytest.mark.parametrize("processes", [1, 2])
def test_trl_trains_on_the_rewards_that_score_gives(told, judge_server, tmp_path, processes):
    environment, received = told
    backend = {"use": "trl", "device": "cpu", "processes": processes}
    name = "trl" if processes == 1 else f"trl, {processes} processes"
    assert_equal(name, tmp_path, judge_server, backend, {**os.environ, **environment}, received)
