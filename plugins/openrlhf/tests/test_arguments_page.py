"""docs/openrlhf_arguments.md says of every argument of OpenRLHF's what sets it, or why nothing does.

`python plugins/openrlhf/tests/test_arguments_page.py` writes it from engine_settings/arguments.yaml of the package.
That the list is that of the wheel's own parser is looked at by test_engine_arguments.py, where the wheel is.
"""

import textwrap
from pathlib import Path

import pytest
from rewardlab.recipe import load
from rewardlab_openrlhf.compile import compile_stage
from rewardlab_openrlhf.compile.extra_arguments import EXTRA_ARGUMENTS
from rewardlab_openrlhf.dry_run.files import dry_run_files
from rewardlab_openrlhf.engine_arguments import WHEEL
from rewardlab_openrlhf.engine_settings import setters
from rewardlab_training import check_recipe

ROWS = setters()
PAGE = Path(__file__).parents[3] / "docs" / "openrlhf_arguments.md"
SETTERS = {"recipe": "the recipe", "rewardlab": "rewardlab", "arguments": "`engine.arguments`", "not": "nothing"}
HEAD = f"""# OpenRLHF's arguments

If you know OpenRLHF, look up what sets each argument of `openrlhf.cli.train_ppo_ray` {WHEEL} in an rl stage,
generated and tested against the commands that are compiled. `rewardlab run --dry-run` prints a stage's whole command.

- **the recipe**: a key of its own (`stages.N` is the rl stage), listed in [settings.md](settings.md). Some follow from
  several keys; the one that is named changes it.
- **rewardlab**: always as it says, or rewards, files and resuming would not fit together.
- **`engine.arguments`**: `backend.engine.arguments` passes it on as it is, such as `{{actor.entropy_coef: 0.001}}`.
- **nothing**: OpenRLHF's default holds, and the line says why, and what does its work.

"""
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


def page():
    """The whole page, from the rows."""
    lines = ["| argument | set by | from, or why not |", "|---|---|---|"]
    for name, row in ROWS.items():
        kind = next(kind for kind in SETTERS if kind in row)
        said = f"`{row[kind]}`" if kind == "recipe" else row[kind]
        lines.append(f"| `{name}` | {SETTERS[kind]} | {said} |")
    return HEAD + "\n".join(lines) + "\n"


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


def test_the_page_says_what_the_rows_say():
    assert PAGE.read_text(encoding="utf-8") == page(), f"run: python {Path(__file__).relative_to(PAGE.parents[1])}"


def test_one_of_four_sets_each_argument():
    assert len(ROWS) == 167
    assert all(len(SETTERS.keys() & row.keys()) == 1 for row in ROWS.values())


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


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
