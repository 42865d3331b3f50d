"""Recipes that extend recipes: what is merged, what replaced, and where messages say that a value stands."""

import textwrap

import pytest
from helpers.each_case import each_case
from rewardlab.errors import UserError
from rewardlab.recipe.loading import load
from rewardlab.recipe.shipped import shipped_recipes
from rewardlab.recipe.yaml12 import dump

BASE = """\
version: 1
name: base
judges:
  main: {use: openai/chat, with: {model: m, base_url: u}, concurrency: 8}
reward:
  components:
    right: {use: math/accuracy, with: {extract: boxed}}
    liked: {use: pairwise/win_rate, with: {judge: main, privileged: reference}}
  total: right + liked
stages:
  - {use: sft, steps: 10}
  - {use: rl, steps: 20, kl: {coef: 0.1, in: loss}}
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes files into an empty folder: base.yaml, and others by their names without the ending."""
    monkeypatch.chdir(tmp_path)

    def files(base=BASE, **texts):
        for name, text in {"base": base, **texts}.items():
            (tmp_path / f"{name}.yaml").write_text(textwrap.dedent(text))

    return files


def mistakes(*arguments, **options):
    with pytest.raises(UserError) as caught:
        load(*arguments, **options)
    return str(caught.value).split("\n")


def test_mappings_merge_deep_lists_are_replaced_and_dotted_keys_reach_into_them(write):
    write(
        r="""\
        extends: base.yaml
        name: mine
        reward: {components: {right: {with: {extract: tag}}}}
        stages.1.steps: 50
        stages.1: {kl: {in: reward}}
        judges.main.concurrency: 2
        """
    )
    raw = load("r.yaml").raw
    expected = load("base.yaml").raw
    expected["name"] = "mine"
    expected["reward"]["components"]["right"]["with"]["extract"] = "tag"
    expected["stages"][1] = {"use": "rl", "steps": 50, "kl": {"coef": 0.1, "in": "reward"}}
    expected["judges"]["main"]["concurrency"] = 2
    assert raw == expected
    assert list(raw) == list(expected), "the order is the base's"
    write(r="extends: base.yaml\n" + "".join(f"stages.0.{key}: 1\n" for key in "jdhbfaicge"))
    assert list(load("r.yaml").raw["stages"][0]) == ["use", "steps", *"jdhbfaicge"], "what is new keeps its own"
    write(r="extends: base.yaml\nstages: [{use: sft, steps: 1}]")
    assert load("r.yaml").raw["stages"] == [{"use": "sft", "steps": 1}]


@pytest.mark.parametrize("change", ["reward: {components: {liked: {use: a/b}}}", "reward.components.liked.use: a/b"])
def test_another_use_drops_the_options_of_the_old_one(write, change):
    write(r=f"extends: base.yaml\n{change}")
    assert load("r.yaml").raw["reward"]["components"]["liked"] == {"use": "a/b"}


def test_null_takes_a_key_out_but_is_a_value_of_an_option(write):
    write(
        r="""\
        extends: base.yaml
        judges: null
        reward.components.liked: null
        reward: {components: {right: {with: {extract: null}}}}
        """
    )
    raw = load("r.yaml").raw
    assert "judges" not in raw
    assert raw["reward"]["components"] == {"right": {"use": "math/accuracy", "with": {"extract": None}}}


def test_each_message_names_the_file_and_line_where_the_value_stands(write):
    write(
        middle="extends: base.yaml\nstages.0.steps: 11\n",
        r="extends: middle.yaml\nname: mine\njudges.main:\n  concurrency: 3\n",
    )
    document = load("r.yaml", ["stages.1.steps=7"])
    assert document.where(("name",)) == "r.yaml:2: name"
    assert document.where(("judges", "main", "concurrency")) == "r.yaml:4: judges.main.concurrency"
    assert document.where(("stages", 0, "steps")) == "middle.yaml:2: stages.0.steps"
    assert document.where(("judges", "main", "with", "model")) == "base.yaml:4: judges.main.with.model"
    assert document.where(("stages", 1, "steps")) == "override 'stages.1.steps=7': stages.1.steps"
    assert document.where(("stages", 1, "kl", "coef")) == "base.yaml:12: stages.1.kl.coef"


def test_aliases_of_a_base_do_not_share_what_is_merged_into_one(write):
    write(base="a: &it {x: 1, y: [1]}\nb: *it\n", r="extends: base.yaml\na: {x: 2}\na.y.0: 5\n")
    document = load("r.yaml")
    assert document.raw == {"a": {"x": 2, "y": [5]}, "b": {"x": 1, "y": [1]}}
    assert (document.where(("a", "x")), document.where(("b", "x"))) == ("r.yaml:2: a.x", "base.yaml:1: b.x")


def test_a_base_is_a_shipped_recipe_a_file_beside_this_one_or_a_run(write, tmp_path):
    (tmp_path / "deep").mkdir()
    write()
    (tmp_path / "deep" / "r.yaml").write_text("extends: ../base.yaml\nname: deep\n")
    assert load("deep/r.yaml").raw == {**load("base.yaml").raw, "name": "deep"}
    (tmp_path / "r.yaml").write_text("extends: quickstart\nseed: 7\n")
    assert load("r.yaml").raw == {**load(shipped_recipes()["quickstart"]).raw, "seed": 7}
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "recipe.resolved.yaml").write_text(dump(load("r.yaml").raw))
    assert load({"extends": "run", "seed": 8}).raw == {**load("r.yaml").raw, "seed": 8}


@each_case(
    "text, message",
    [
        ("extends: bse.yaml", "r.yaml:1: extends: there is no file bse.yaml"),
        (
            "extends: quickstat",
            "r.yaml:1: extends: no recipe 'quickstat' comes with rewardlab; did you mean 'quickstart'?; "
            "a file is named with its ending, as a path from this one",
        ),
        (
            "extends: [base.yaml, other.yaml]",
            "r.yaml:1: extends: is a list of 2 (0 to 1); write the name of one recipe",
        ),
        ("extends: r.yaml", "r.yaml:1: extends: r.yaml extends r.yaml: a circle"),
        ("extends: back.yaml", "back.yaml:1: extends: r.yaml extends back.yaml extends r.yaml: a circle"),
        (
            "extends: base.yaml\nstages.5.steps: 3",
            "r.yaml:2: stages.5.steps: stages is a list of 2 (0 to 1), it has no '5'",
        ),
        (
            "extends: base.yaml\nstages.3: {use: eval}",
            "r.yaml:2: stages.3: stages is a list of 2 (0 to 1), it has no '3'",
        ),
        (
            "extends: base.yaml\nstages.2: null",
            "r.yaml:2: stages.2: stages is a list of 2 (0 to 1), it has no '2'",
        ),
        ("extends: base.yaml\ncuriculum: null", "r.yaml:2: curiculum: the recipe has no 'curiculum' to remove"),
        (
            "extends: base.yaml\njudges.mian: null",
            "r.yaml:2: judges.mian: judges has no 'mian' to remove; did you mean 'main'?",
        ),
    ],
)
def test_what_cannot_be_extended_is_one_error_that_names_the_place(write, text, message):
    write(r=text, back="extends: r.yaml")
    (line,) = mistakes("r.yaml")
    assert line.startswith(message)


def test_the_mistakes_of_a_base_are_told_with_the_others(write):
    write(base="version: 1\nname: !str base\n", r="extends: base.yaml\nseed: ${oc.env:NO_SUCH_VARIABLE_HERE}\n")
    problems = [str(problem) for problem in load("r.yaml", strict=False).problems]
    assert [problem.split(":")[:2] for problem in problems] == [["base.yaml", "2"], ["r.yaml", "2"]]


def test_the_number_behind_the_last_item_adds_one(write):
    write(r="extends: base.yaml\nstages.2: {use: eval}\nstages.3: {use: eval}\nstages.3.samples: 2\nstages.0: null\n")
    document = load("r.yaml", ["stages.3={use: sft, steps: 1}", "stages.3.steps=9"])
    stages = [("rl", 20), ("eval", None), ("eval", None), ("sft", 9)]
    assert [(stage["use"], stage.get("steps")) for stage in document.raw["stages"]] == stages
    assert document.raw["stages"][2] == {"use": "eval", "samples": 2}
    assert document.where(("stages", 1, "use")) == "r.yaml:2: stages.1.use"
    assert document.where(("stages", 3, "use")) == "override 'stages.3={use: sft, steps: 1}': stages.3.use"


def test_null_empties_what_dotted_keys_then_build_anew(write):
    write(
        r="""\
        extends: base.yaml
        reward.components.right.with: null
        reward.components.right.with.field: answer
        stages.1.kl: null
        stages.1.kl.in: reward
        """
    )
    raw = load("r.yaml").raw
    assert raw["reward"]["components"]["right"]["with"] == {"field": "answer"}
    assert raw["stages"][1]["kl"] == {"in": "reward"}


def test_null_takes_items_out_by_the_numbers_of_the_base(write):
    write(base="s: [{a: 0}, {a: 1}, {a: 2}, {a: 3}]\n", r="extends: base.yaml\ns.0: null\ns.2: null\ns.3.a: 4\n")
    document = load("r.yaml")
    assert document.raw == {"s": [{"a": 1}, {"a": 4}]}
    assert [document.where(("s", n, "a")) for n in (0, 1)] == ["base.yaml:1: s.0.a", "r.yaml:4: s.1.a"]
