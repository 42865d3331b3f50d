"""`rewardlab run` with verl's own loop: weights move by the reward, and a group win rate drives the policy."""

import json
import statistics
from collections import Counter

import pytest
from rewardlab_testing.backend_laws.ledger import read_rows

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl]


@pytest.fixture(scope="session")
def driven(jobs, drive, tmp_path_factory):
    """The run of drive.yaml with an evaluation; every test that only looks at it shares it."""
    evaluation = ["stages.1.eval={prompts: 6, samples: 4}", "stages.1.eval_every=10", "backend.tensorboard=true"]
    return jobs.run(tmp_path_factory.mktemp("driven"), drive, *evaluation, name="drive").succeeded()


def mean(rows, component):
    return statistics.fmean(row["components"][component]["value"] for row in rows)


def test_a_win_rate_of_groups_drives_the_policy(driven):
    """The judge prefers the calculation nearer to the reference, so boxes come, which nothing else rewards."""
    rows = [row for row in read_rows(driven.directory) if row["trained"] == "yes"]
    assert len(rows) == 20 * 8 * 8
    first = [row for row in rows if row["step"] <= 4]
    later = [row for row in rows if row["step"] > 4]
    assert mean(later, "format") > mean(first, "format") + 0.05


def test_the_evaluations_are_of_the_weights_at_their_steps(driven):
    folder = driven.directory / "evaluation"
    assert {path.name for path in folder.glob("*.json")} == {
        f"1-rl-{when}.json" for when in ("before", "step-10", "after")
    }
    rows = [row for row in read_rows(driven.directory) if row["phase"] != "training"]
    assert {(row["phase"], row["step"]) for row in rows} == {("before", 0), ("during", 10), ("after", 20)}
    assert len(rows) == 3 * 6 * 4


def test_the_model_is_one_that_transformers_loads(driven):
    from safetensors import safe_open

    config = json.loads((driven.directory / "models" / "1-rl" / "config.json").read_text())
    assert config["model_type"] == "llama"
    weights = []
    for stage in ("0-sft", "1-rl"):
        [path] = (driven.directory / "models" / stage).glob("*.safetensors")
        with safe_open(path, "pt") as file:
            weights.append(file.get_tensor("model.embed_tokens.weight"))
    assert not weights[0].equal(weights[1])


def test_weights_do_not_move_by_a_constant_reward_nor_by_a_group_that_lost_one(driven, jobs, drive, tmp_path):
    """With `on_partial: score` the others are a group of their own size."""
    from safetensors.torch import load_file

    model = driven.directory / "models" / "0-sft"
    short = [f"model={model}", "stages.1.steps=2", "reward.total=0 * format", "--stage", "1"]
    short += ["backend.engine.barrier={on_partial: score}"]
    ended = jobs.run(tmp_path, drive, *short, name="constant", env={"REWARDLAB_CPU_ENGINE_RAISE": "?"}).succeeded()
    before = load_file(next(model.glob("*.safetensors")))
    after = load_file(next((ended.directory / "models" / "1-rl").glob("*.safetensors")))
    assert all(after[name].equal(value) for name, value in before.items())
    sizes = Counter((row["step"], row["id"]) for row in read_rows(ended.directory))
    assert sorted(sizes.values()) == [7, *[8] * 15]


def test_a_lost_completion_ends_the_job_with_its_reason(driven, jobs, drive, tmp_path):
    """verl itself would go on without it."""
    lost = {"REWARDLAB_CPU_ENGINE_RAISE": "?"}
    short = ["stages.1.steps=2", f"model={driven.directory / 'models' / '0-sft'}", "--stage", "1"]
    ended = jobs.run(tmp_path, drive, *short, name="lost", env=lost)
    assert ended.code == 1
    assert "1 of 8 completions were lost" in ended.output
    assert "RuntimeError: the engine lost this request" in ended.output
    assert "`on_partial: score` scores the others" in ended.output
