"""Every shipped recipe: opens with the command that runs it, cites its paper, and passes `check`."""

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "recipes"
RECIPES = sorted(FOLDER.rglob("*.yaml"))
PROBLEMS = [
    {"problem": f"What is {n} + {n}?", "solution": rf"{n} + {n} = \boxed{{{2 * n}}}", "answer": str(2 * n)}
    for n in range(3)
]

each = pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)


def test_all_are_found():
    assert [path.stem for path in RECIPES] == [
        "quickstart",
        "quickstart_judge",
        "sp3f",
        "sp3f_4_nodes",
        "sp3f_no_privilege",
        "sp3f_single_language",
    ]


@each
def test_opens_with_the_schema_the_command_and_the_paper(recipe):
    first, command, *rest = recipe.read_text(encoding="utf-8").splitlines()
    assert first == "# yaml-language-server: $schema=../schemas/recipe.schema.json"
    assert re.fullmatch(rf"# ([A-Z_]+=\S+ )?rewardlab run recipes/{recipe.name}", command)
    head = " ".join(line.removeprefix("# ") for line in rest[: rest.index("version: 1")])
    assert re.search(r'\(?[A-Z][a-z]+ et al\., "[A-Z]', head), "cites no paper"


@each
def test_passes_check_as_it_is(recipe, rewardlab):
    done = rewardlab("check", recipe, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["total_range"] == [0.0, 4.0]


@pytest.mark.parametrize("name", ["sp3f", "sp3f_4_nodes", "sp3f_no_privilege", "sp3f_single_language"])
def test_the_cost_is_told_before_it_is_paid(name, rewardlab, write):
    write("mine.jsonl", PROBLEMS * 12)
    mine = [
        f"stages.{stage}.dataset.from.{key}" for stage in (0, 1) for key in ("use=data/jsonl", "with.path=mine.jsonl")
    ]
    done = rewardlab("run", FOLDER / f"{name}.yaml", "--dry-run", *mine)
    assert done.returncode == 0, done.stderr
    questions = 36 * 4 if name == "sp3f_single_language" else 34 * 4  # two of 36 rows stay English
    assert f"asks teacher up to {2 * questions} questions (about " in done.stdout
    assert f"asks teacher up to {questions} questions (about " in done.stdout
    assert "preference asks main up to 56 questions a group, 1,792 a step" in done.stdout


def test_what_the_paper_says_is_what_sp3f_says():
    """Table 5 of the paper; the multilingual recipe."""
    from rewardlab.loading import load
    from rewardlab.recipe import Recipe

    recipe = Recipe.model_validate(load(FOLDER / "sp3f.yaml").tree)
    sft, rl = recipe.stages[2], recipe.stages[3]
    assert (sft.batch_size, sft.learning_rate, sft.steps) == (16, 1e-5, 1000)
    assert (rl.batch_size, rl.group_size, rl.learning_rate, rl.steps) == (32, 8, 5e-7, 500)
    assert (rl.clip, rl.temperature, rl.max_new_tokens, rl.kl.coef) == ([0.2, 0.28], 1.0, 2048, 0)
    assert rl.algorithm == "dr_grpo"
