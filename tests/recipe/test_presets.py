"""A preset is the keys of a paper: those that a stage says itself go before them, and the dry run shows them all."""

import pytest
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.recipe.presets import PRESETS
from rewardlab_training import describe_training

RECIPE = """
    version: 1
    name: made
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}}
    reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
    stages: [{use: rl, preset: dapo}]
    backend: {use: verl, gpus_per_node: 4}
"""
PAPERS = {  # what is written in each, once more
    "dapo": {
        "algorithm": "grpo",
        "loss": "token_mean",
        "clip": [0.2, 0.28],
        "group_size": 16,
        "batch_size": 512,
        "updates_per_batch": 16,
        "learning_rate": 1e-6,
        "warmup_steps": 20,
    },
    "dr_grpo": {
        "algorithm": "dr_grpo",
        "loss": "constant",
        "clip": [0.2, 0.2],
        "group_size": 8,
        "batch_size": 128,
        "updates_per_batch": 8,
        "learning_rate": 1e-6,
        "warmup_steps": 0,
    },
    "gspo": {
        "algorithm": "grpo",
        "loss": "seq_mean",
        "importance_sampling_level": "sequence",
        "clip": [3e-4, 4e-4],
        "updates_per_batch": 4,
    },
    "cispo": {"algorithm": "grpo", "loss": "cispo", "clip": [1, 4], "updates_per_batch": 16},
}


@pytest.fixture
def plan(toy, write):
    path = write("r.yaml", RECIPE)
    return lambda *overrides: make_plan(load(path, overrides))


def lines(made):
    return list(describe_training(made, 0, "4 rows"))


def test_each_stands_for_the_keys_of_its_paper(plan):
    assert PAPERS.keys() == PRESETS.keys()
    for name, keys in PAPERS.items():
        stage = plan(f"stages.0.preset={name}").recipe.stages[0]
        assert {key: getattr(stage, key) for key in keys} == keys
        assert (stage.kl.coef, stage.temperature) == (0.0, 1.0)


def test_what_the_stage_says_itself_goes_before_it(plan):
    stage = plan("stages.0.group_size=4", "stages.0.algorithm=rloo", "stages.0.warmup_ratio=0.1").recipe.stages[0]
    assert (stage.group_size, stage.algorithm, stage.clip) == (4, "rloo", [0.2, 0.28])
    assert (stage.warmup_ratio, stage.warmup_steps) == (0.1, 0)


def test_the_dry_run_shows_its_keys_and_what_the_stage_says_otherwise(plan):
    assert lines(plan())[0] == (
        "preset dapo (arXiv 2503.14476): algorithm grpo, loss token_mean, clip [0.2, 0.28], group_size 16, "
        "batch_size 512, updates_per_batch 16, learning_rate 1e-06, warmup_steps 20"
    )
    assert lines(plan())[1].startswith("  in the paper, beside it: a right answer is worth 1")
    first, changed, *_ = lines(plan("stages.0.group_size=4", "stages.0.batch_size=32"))
    assert "group_size" not in first
    assert changed == "  but for what the recipe says: group_size 4 for 16, batch_size 32 for 512"
    assert "preset" not in lines(plan("stages.0={use: rl, algorithm: grpo}"))[0]


def test_a_stage_needs_it_or_an_algorithm(plan):
    with pytest.raises(UserError, match=r"stages\.0\.preset: 'dappo' is not allowed; did you mean 'dapo'\?"):
        plan("stages.0.preset=dappo")
    with pytest.raises(UserError, match=r"stages\.0\.algorithm: missing"):
        plan("stages.0={use: rl}")
