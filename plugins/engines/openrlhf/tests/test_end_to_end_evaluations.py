"""Evaluations of OpenRLHF's own loop: of which weights they are, that of the final model, and one that was lost."""

import json
import time

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

RECIPE = """
version: 1
seed: 1
model: MODEL
dataset: {use: toy/counting, with: {rows: 32}}
reward:
  components: {letters: {use: toy/letters}}
  total: letters
stages:
  - use: rl
    algorithm: dr_grpo
    group_size: 2
    batch_size: 2
    steps: 1
    learning_rate: 1.0e-3
    max_new_tokens: 8
    save_every: 1
    eval_before: false
    eval: {samples: 1, temperature: 0.5, dataset: {use: data/jsonl, with: {path: held.jsonl}}}
backend: {use: openrlhf, gpus_per_node: 2, engine: {sleep: false, zero_stage: 1, packing: false}}
"""
STEPS = 7


@pytest.fixture
def recipe(model_folder, tmp_path):
    rows = [{"id": f"held-{n}", "prompt": f"EVALUATED {n}?"} for n in range(3)]
    (tmp_path / "held.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = tmp_path / "recipe.yaml"
    path.write_text(RECIPE.replace("MODEL", str(model_folder("llama"))))
    return path


@pytest.mark.nightly
def test_a_queue_of_two_steps_has_the_step_of_its_weights_and_the_final_model_is_evaluated(
    jobs, toy_path, recipe, tmp_path
):
    """The rollout engine itself counts the exchanges of its weights, and knows evaluations by their temperature.

    What the training half of such a job received is rloo's of the completions that have a value.
    """
    told, batches = tmp_path / "requests.jsonl", tmp_path / "received.jsonl"
    engine = "{colocate: false, sleep: false, zero_stage: 1, packing: false, asynchronous: {queue: 2}}"
    sizes = (f"stages.0.steps={STEPS}", "stages.0.eval_every=1", f"backend.engine={engine}")
    faulty = "{use: toy/faulty, with: {how: fail, when: ' '}, on_missing: zero_advantage, max_missing: 1.0}"
    masked = (f"reward.components.faulty={faulty}", "reward.total=letters + faulty")
    rloo = ("stages.0.algorithm=rloo", "stages.0.group_size=4")
    env = {"REWARDLAB_CPU_ENGINE_REQUESTS": str(told), "REWARDLAB_CPU_ENGINE_RECEIVED": str(batches)}
    ended = jobs.run(tmp_path, recipe, *sizes, *masked, *rloo, paths=[toy_path], env=env).succeeded()
    refuse_other_advantages(ended.ledger(trained="yes"), jobs.received(ended.directory, batches))
    requests = map(json.loads, told.read_text().splitlines())
    of_weights = [exchanges for exchanges, temperature in requests if temperature == 0.5]
    evaluated = [row for row in ended.ledger(trained="no") if row["phase"] != "training"]
    assert [row["step"] for row in evaluated] == of_weights
    assert {row["phase"] for row in evaluated if row["step"] == STEPS} == {"after"}
    names = {path.name for path in (ended.directory / "evaluation").glob("*.json")}
    assert names == {f"0-rl-step-{step}.json" for step in {*of_weights} - {STEPS}} | {"0-rl-after.json"}


def refuse_other_advantages(rows, received):
    """Compare with each value minus the mean of the others of its group, those without a value left out."""
    groups = {}
    for row in sorted(rows, key=lambda row: row["index"]):
        groups.setdefault((0, row["step"], row["id"]), []).append(row["total"])
    assert received.keys() == groups.keys()
    for group, totals in groups.items():
        present = [total for total in totals if total is not None]
        wanted = [
            0.0 if total is None or len(present) == 1 else total - (sum(present) - total) / (len(present) - 1)
            for total in totals
        ]
        assert received[group] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.nightly
def test_one_that_was_killed_after_the_last_step_is_made_up_for_when_the_run_goes_on(jobs, toy_path, recipe, tmp_path):
    told = tmp_path / "requests.jsonl"
    env = {"REWARDLAB_CPU_ENGINE_HANG": "EVALUATED", "REWARDLAB_CPU_ENGINE_REQUESTS": str(told)}
    with jobs.started(tmp_path, recipe, paths=[toy_path], env=env, name="killed") as job:
        end = time.monotonic() + 240
        while not (told.exists() and "[1, 0.5]" in told.read_text()):  # the evaluation has begun, and hangs
            assert job.running(), job.tell()[-3000:]
            assert time.monotonic() < end, job.tell()[-3000:]
            time.sleep(0.1)
        job.kill()
        directory = job.directory
    assert (directory / "checkpoints" / "0-rl" / "_actor" / "latest").exists()
    after = directory / "evaluation" / "0-rl-after.json"
    assert not after.exists()
    ended = jobs.run(tmp_path, recipe, "--resume", directory, paths=[toy_path], name="resumed").succeeded()
    assert [one["prompts"] for one in json.loads(after.read_text())["slices"]][:1] == [3]
    assert {row["attempt"] for row in ended.ledger(trained="yes")} == {0}, "there was nothing left to train"
    assert {row["step"] for row in ended.ledger(trained="no") if row["attempt"] == 1} == {1}
    assert (directory / "models" / "0-rl" / "config.json").is_file()
