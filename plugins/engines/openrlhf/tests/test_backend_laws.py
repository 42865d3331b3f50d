"""OpenRLHF under the laws that every engine keeps."""

import json
from functools import partial

import pytest
from rewardlab.testing import check_backend
from rewardlab_testing.backend_laws.ledger import read_rows
from rewardlab_testing.outcomes.law_words import BACKEND

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

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
    steps: 3
    max_new_tokens: 8
    save_every: 1
backend: {use: openrlhf, gpus_per_node: 1, engine: {sleep: false, zero_stage: 1, packing: false}}
"""


ELSEWHERE = ("whole", "scores", "masked", "taught", "stop", "failures")
"""laws that cost a job or two, which others make: test_end_to_end_training.py asks what `whole` asks and
test_equal_rewards.py what `scores` asks, a stop goes the way of Ctrl-C, which `resume` tries, rewards that
fail are in test_service.py and, at night, jobs that end by a failure in test_end_to_end_faults.py, and `masked` is
below, at night, under a normalizer that looks at a whole step; test_equal_rewards.py asks it of what it trains,
test_end_to_end_evaluations.py, at night, of an asynchronous job, and test_engine_arguments.py of all four at
OpenRLHF's estimator; `taught` is below, at night, too"""


def test_openrlhf_keeps_every_law_but_that_of_the_same_completions(jobs, model_folder, toy, tmp_path):
    """And no process of its jobs is left, however they end."""
    recipe = RECIPE.replace("MODEL", str(model_folder("llama")))
    tried = [law for law in BACKEND if law not in ELSEWHERE]
    with jobs.ray_environment(tmp_path) as (environment, left):
        [result] = check_backend(recipe, environment=environment, only=tried)
        assert not left()
    assert [outcome.law for outcome in result.of("off")] == ["same"]
    assert [outcome.law for outcome in result.of("held")] == [law for law in tried if law != "same"]


@pytest.mark.nightly
def test_a_group_that_does_not_teach_is_in_no_batch_of_openrlhf(jobs, model_folder, toy, tmp_path):
    recipe = RECIPE.replace("MODEL", str(model_folder("llama"))).replace("steps: 3", "steps: 8")
    told = tmp_path / "received.jsonl"
    with jobs.ray_environment(tmp_path) as (environment, _):
        environment["REWARDLAB_CPU_ENGINE_RECEIVED"] = str(told)
        received = partial(jobs.received, told=told)
        [result] = check_backend(recipe, environment=environment, only=["taught"], received=received)
    assert [outcome.law for outcome in result.of("held")] == ["taught"]


@pytest.mark.nightly
def test_a_completion_without_a_value_has_no_vote_in_openrlhfs_own_batch(jobs, model_folder, toy, tmp_path):
    """Of normalize/gdpo, which looks at each component and at the whole step, under weights that change with it."""
    recipe = RECIPE.replace("MODEL", str(model_folder("llama"))).replace("grpo", "dr_grpo")
    scheduled = "letters + 0.1 * longest + (1 - progress) * accuracy\n  normalize: [normalize/gdpo]"
    recipe = recipe.replace("letters + 0.1 * longest + accuracy", scheduled)
    told, progress = tmp_path / "received.jsonl", set()

    def received(run):
        progress.update((row["step"], row["progress"]) for row in read_rows(run))
        return jobs.received(run, told)

    with jobs.ray_environment(tmp_path) as (environment, _):
        environment["REWARDLAB_CPU_ENGINE_RECEIVED"] = str(told)
        [result] = check_backend(recipe, environment=environment, only=["masked"], received=received)
    assert [outcome.law for outcome in result.of("held")] == ["masked"]
    batches = [json.loads(line) for line in told.read_text().splitlines()]
    assert len(batches) == 3
    for batch in batches:
        assert all(len(tokens) == 1 for *_, tokens in batch), "one advantage for every token of a completion"
        assert sum(tokens[0] ** 2 for *_, tokens in batch) / 5 == pytest.approx(1, abs=1e-3) or not any(
            tokens[0] for *_, tokens in batch
        )
    assert progress == {(1, 0), (2, 1 / 3), (3, 2 / 3)}
