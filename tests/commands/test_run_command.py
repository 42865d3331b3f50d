"""`rewardlab run`: which folder, which recipe, and how it ended for a program that asks."""

import json
from pathlib import Path

import pytest

RECIPE = """
version: 1
name: toy
model: {use: tiny}
dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
reward:
  components: {letters: {use: toy/letters}}
  total: letters
stages:
  - {use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 3}
backend: {use: toy}
"""
FAILING = "reward.components.letters={use: toy/faulty, with: {when: '.', how: error}}"


@pytest.fixture
def run(main, write):
    """`run("--json")`: the code, what is on stdout and what on stderr."""
    write("r.yaml", RECIPE)
    return lambda *arguments: main("run", *arguments)


class TestRunDir:
    def test_names_the_folder(self, run):
        code, out, _ = run("r.yaml", "--run-dir", "mine/first")
        assert code == 0
        assert out.startswith("run directory: mine/first\n")
        assert Path("mine/first/ledger.jsonl").is_file()
        assert not Path("runs").exists()

    def test_may_be_an_empty_folder(self, run):
        Path("mine").mkdir()
        assert run("r.yaml", "--run-dir", "mine")[0] == 0

    def test_is_no_folder_that_holds_anything(self, run):
        Path("mine").mkdir()
        Path("mine/notes.txt").write_text("mine")
        code, out, err = run("r.yaml", "--run-dir", "mine")
        assert (code, out) == (2, "")
        assert err == ("error: mine: this folder is not empty; name a new one, or continue its run with --resume\n")
        assert [path.name for path in Path("mine").iterdir()] == ["notes.txt"]

    def test_is_no_file(self, run):
        code, _, err = run("r.yaml", "--run-dir", "r.yaml")
        assert (code, err) == (2, "error: r.yaml: no run directory can be made here: File exists\n")

    def test_is_not_for_a_run_that_goes_on(self, run):
        run("r.yaml", "--run-dir", "mine")
        code, _, err = run("--resume", "mine", "--run-dir", "other")
        assert code == 2
        assert "a run that is resumed stays in its folder" in err


class TestResume:
    @pytest.fixture
    def stopped(self, run):
        """A run whose reward failed."""
        code, _, err = run("r.yaml", "stages.0.steps=4", "--run-dir", "mine", FAILING)
        assert code == 1, err
        return "mine"

    def test_of_a_folder_needs_no_recipe(self, run):
        assert run("r.yaml", "seed=7", "--run-dir", "mine")[0] == 0
        Path("r.yaml").unlink()
        code, out, err = run("--resume", "mine")
        assert (code, err) == (0, "")
        assert out.startswith("run directory: mine\n")
        assert len(json.loads(Path("mine/manifest.json").read_text())["commands"]) == 2

    def test_takes_overrides_of_what_may_change(self, run, stopped):
        code, _, err = run("--resume", stopped, "seed=3")
        assert code == 2
        assert "was made with another recipe (seed was absent, is 3); resume with what it was made with" in err

    def test_of_another_recipe_names_what_differs(self, run, stopped):
        code, _, err = run("r.yaml", "--resume", stopped, "seed=3")
        assert code == 2
        assert "stages.0.steps was 4, is 3" in err
        assert 'reward.components.letters.use was "toy/faulty", is "toy/letters"' in err
        assert "reward.components.letters.with was " in err
        assert "seed was absent, is 3" in err
        assert f"(rewardlab run --resume {stopped})" in err

    def test_of_no_run_says_so(self, run):
        Path("empty").mkdir()
        for folder in ("empty", "nowhere"):
            code, _, err = run("--resume", folder)
            assert code == 2
            assert err == f"error: {folder} is no run directory to resume: it has no recipe.resolved.yaml\n"

    def test_without_either_asks_which(self, run):
        code, _, err = run()
        assert (code, err) == (2, "error: which recipe? rewardlab run RECIPE, or rewardlab run --resume DIR\n")


class TestJson:
    def test_says_where_the_run_is_and_nothing_else_on_stdout(self, run):
        code, out, err = run("r.yaml", "--json", "--run-dir", "mine")
        assert code == 0
        told = json.loads(out)
        assert told["ok"]
        assert not told["stopped"]
        assert told["directory"] == "mine"
        assert [Path(model).parent for model in told["models"]] == [Path("mine/models")]
        assert err.startswith("run directory: mine\n")

    def test_of_a_failure_says_where_the_run_is_and_why(self, run):
        code, out, err = run("r.yaml", "--json", "--run-dir", "mine", FAILING)
        told = json.loads(out)
        assert (code, told["ok"], told["directory"]) == (1, False, "mine")
        assert "component 'letters'" in told["problems"][0]["what"]
        assert "continue with: " in err

    def test_of_a_mistake_has_its_place(self, run):
        code, out, _ = run("r.yaml", "--json", "stages.0.step=3")
        told = json.loads(out)
        assert (code, told["ok"]) == (2, False)
        assert told["problems"][0]["path"] == ["stages", 0, "step"]
        assert "directory" not in told


@pytest.mark.parametrize("command", ["score", "compare", "probe", "causes", "check"])
def test_every_command_with_json_fails_in_json(main, write, command):
    write("bad.yaml", "version: 1\nreward: {components: {a: {use: no/such}}, total: a}\n")
    write("rows.jsonl", '{"id": "a", "prompt": "1 + 1?", "completions": ["2"]}\n')
    more = {"score": ["-o", "out.jsonl"]}.get(command, [])
    recipes = ["bad.yaml"] * (2 if command == "compare" else 1)
    code, out, _ = main(command, *recipes, "rows.jsonl", *more, "--json")
    assert code == 2
    told = json.loads(out)
    assert told["ok"] is False
    assert any("no plugin 'no'" in problem["what"] for problem in told["problems"])


class TestDryRun:
    ASKED = (
        "judges={j: {use: toy/polite}}",
        "reward.components.prefer={use: toy/prefer, with: {judge: j}}",
        "reward.total=letters + prefer",
    )

    def test_says_what_it_cannot_know_of_a_rewards_questions(self, run):
        """A reward whose author has not said how often it asks: it was left out, as if it cost nothing."""
        code, out, _ = run("r.yaml", "--dry-run", *self.ASKED)
        assert code == 0
        expected = (
            "prefer asks j an unknown number of questions (toy/prefer has no `calls` in its spec, so no cost is known)"
        )
        assert expected in out
        assert "asks" not in run("r.yaml", "--dry-run")[1]
