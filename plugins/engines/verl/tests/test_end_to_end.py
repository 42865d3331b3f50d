"""The quickstart with verl's own loop: it evaluates and writes models; weights move by the reward alone."""

import json
from collections import Counter

import pytest
from rewardlab_testing.backend_laws.ledger import read_rows

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl, pytest.mark.xdist_group("the quickstart")]

STAGES = {"0-sft": ["train/loss"], "1-rl": ["train/loss", "train/reward/total", "eval/reward/total"]}
SHORT = ["stages.1.steps=2", "stages.1.batch_size=8", "stages.1.eval=null", "--stage", "1"]


@pytest.fixture(scope="session")
def trained(jobs, recipe, tmp_path_factory):
    """A short run of the quickstart; every test that only looks at it shares it."""
    steps = ["stages.0.steps=8", "stages.0.warmup_steps=2", "stages.1.steps=3", "stages.1.eval_every=2"]
    sizes = ["stages.1.batch_size=8", "stages.1.eval={prompts: 3, samples: 2}"]
    return jobs.run(tmp_path_factory.mktemp("trained"), *recipe, *steps, *sizes).succeeded()


def test_the_evaluations_are_of_the_weights_at_their_steps(trained):
    folder = trained.directory / "evaluation"
    assert {path.name for path in folder.glob("*.json")} == {
        f"1-rl-{when}.json" for when in ("before", "step-2", "after")
    }
    rows = [row for row in read_rows(trained.directory) if row["phase"] != "training"]
    assert {(row["phase"], row["step"]) for row in rows} == {("before", 0), ("during", 2), ("after", 3)}
    assert len(rows) == 3 * 3 * 2


def test_trackers_have_the_names_that_they_have_on_every_engine(trained):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = {stage: EventAccumulator(str(trained.directory / "logs" / "tensorboard" / stage)) for stage in STAGES}
    steps = {
        (stage, name): [event.step for event in events.Reload().Scalars(name)]
        for stage, events in found.items()
        for name in STAGES[stage]
    }
    assert steps[("0-sft", "train/loss")][-1] == 8
    assert steps[("1-rl", "train/loss")] == steps[("1-rl", "train/reward/total")] == [1, 2, 3]
    assert steps[("1-rl", "eval/reward/total")] == [0, 2, 3]


def test_the_models_are_such_as_transformers_loads_whole(trained):
    """That rl moves them test_equal_rewards.py shows."""
    from transformers import AutoModelForCausalLM

    for stage in ("0-sft", "1-rl"):
        folder = trained.directory / "models" / stage
        model, loading = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
        assert model.config.model_type == "llama"
        assert not any(loading.values()), loading


@pytest.mark.nightly
def test_a_stage_eval_measures_the_model_as_it_is(trained, jobs, recipe, tmp_path):
    stages = "stages=[{use: eval, samples: 4, prompts: 6, max_new_tokens: 56, benchmark: made}]"
    ended = jobs.run(tmp_path, *recipe[:2], f"model={trained.directory / 'models' / '1-rl'}", stages).succeeded()
    assert json.loads((ended.directory / "evaluation" / "0-eval-made.json").read_text())["slices"][0]["prompts"] == 6
    rows = ended.ledger()
    assert {(row["phase"], row["step"], row["trained"]) for row in rows} == {("eval", None, "no")}
    assert len(rows) == 6 * 4
    assert not (ended.directory / "models").exists()


@pytest.mark.nightly  # test_filter_groups.py and test_losses.py have groups that lost a completion, too
def test_weights_do_not_move_by_a_constant_reward_nor_by_a_group_that_lost_one(trained, jobs, recipe, tmp_path):
    """With `on_partial: score` the others are a group of their own size."""
    from safetensors.torch import load_file

    model = trained.directory / "models" / "0-sft"
    short = [*SHORT, f"model={model}", "reward.total=0 * format", "backend.engine.barrier={on_partial: score}"]
    ended = jobs.run(tmp_path, *recipe, *short, name="constant", env={"REWARDLAB_CPU_ENGINE_RAISE": "?"}).succeeded()
    before = load_file(next(model.glob("*.safetensors")))
    after = load_file(next((ended.directory / "models" / "1-rl").glob("*.safetensors")))
    assert all(after[name].equal(value) for name, value in before.items())
    sizes = Counter((row["step"], row["id"]) for row in read_rows(ended.directory))
    assert sorted(sizes.values()) == [7, *[8] * 15]
