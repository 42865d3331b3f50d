"""engine_settings/arguments.yaml says of every argument of OpenRLHF's what sets it, or why nothing does.

That the list is that of the wheel's own parser is looked at by test_engine_arguments.py, where the wheel is.
"""

import textwrap

import pytest
from rewardlab.recipe import load
from rewardlab_openrlhf.compile import compile_stage
from rewardlab_openrlhf.compile.extra_arguments import EXTRA_ARGUMENTS
from rewardlab_openrlhf.dry_run.files import dry_run_files
from rewardlab_openrlhf.engine_settings import setters
from rewardlab_training import check_recipe

ROWS = setters()
SETTERS = {"recipe", "rewardlab", "arguments", "not"}
RECIPE = """
    version: 1
    name: made
    model: org/model
    dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
    reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
    stages: [{use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 8, steps: 4, max_new_tokens: 12}]
    backend: {use: openrlhf, gpus_per_node: 4}
"""
FROM_THE_RECIPE = [name for name, row in ROWS.items() if "recipe" in row]


@pytest.fixture
def arguments(toy, write):
    """The arguments of the recipe's command under overrides, by name, each as a text."""
    path = write("r.yaml", textwrap.dedent(RECIPE))

    def made(overrides):
        plan = check_recipe(load(path, overrides))
        found = {}
        for token in compile_stage(plan, 0, dry_run_files(plan, 0)).arguments:
            if token.startswith("--"):
                name = token[2:]
            found[name] = f"{found.get(name, '')} {token}"
        return found

    return made


def test_one_of_four_sets_each_argument():
    assert len(ROWS) == 167
    assert all(len(SETTERS & row.keys()) == 1 for row in ROWS.values())


@pytest.mark.slow
def test_the_key_changes_the_argument(arguments):
    for name in FROM_THE_RECIPE:
        row = ROWS[name]
        key = row["recipe"].replace("stages.N", "stages.0")
        given = row.get("with", [])
        assert arguments(given).get(name) != arguments([*given, f"{key}={row['as']}"]).get(name), name


def test_what_may_be_added_is_what_engine_arguments_takes():
    assert {name for name, row in ROWS.items() if "arguments" in row} == set(EXTRA_ARGUMENTS["rl"])


def test_what_nothing_sets_is_in_no_command(arguments):
    engine = "backend.engine={colocate: false, asynchronous: {}, correction: {}, tokens_per_gpu: 4096, wandb: project}"
    more = ["stages.0.eval={}", "stages.0.eval_every=2", "stages.0.kl.coef=0.01", "backend.tensorboard=true"]
    commands = [arguments([]), arguments([*more, engine]), arguments([*more, "stages.0.algorithm=ppo"])]
    given = set().union(*commands)
    unset = {name for name, row in ROWS.items() if "not" in row}
    assert not unset & given
    assert given <= {name for name, row in ROWS.items() if "recipe" in row or "rewardlab" in row}
    always = {name for name, row in ROWS.items() if "rewardlab" in row} - {"ckpt.load_enable"}
    assert always <= given
