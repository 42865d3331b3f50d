"""`rewardlab run`: which folder, which recipe, and how it ended for a program that asks."""

import errno
import json
import shlex
from contextlib import closing
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from helpers.each_case import each_case
from rewardlab.files import FileLock
from rewardlab.registry import installed

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
RL = "{use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 3}"
FAILING = "reward.components.letters={use: toy/faulty, with: {when: '.', how: error}}"


@pytest.fixture
def run(main, write):
    """`run("--json")`: the code, what is on stdout and what on stderr."""
    write("r.yaml", RECIPE)
    return lambda *arguments: main("run", *arguments)


def test_each_command_that_a_failure_advises_can_be_pasted(run, main, write, judge_server):
    """Also from a folder and with a recipe whose names have spaces."""
    write("my recipe.yaml", RECIPE)
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        server.fault = lambda number, _: None if number == 1 else "500"  # the first call tries the judge
        judge = f'{{use: openai/chat, with: {{model: m, base_url: "{server.url}"}}, retries: 0}}'
        stages = f"stages=[{RL}, {{use: eval, samples: 1, policy: {{judge: policy, max_missing: 0}}}}]"
        code, _, err = run("my recipe.yaml", f"judges={{policy: {judge}}}", stages, "--run-dir", "a run")
        assert code == 1
        _, resume, other = (line.rpartition(": rewardlab ")[2] for line in ["", *err.splitlines()[-3:-1]])
        server.fault = None
        assert shlex.split(resume)[-2:] == ["--resume", "a run"]
        assert shlex.split(other)[-3:] == ["model=a run/models/0-rl", "--stage", "1"]
        assert main(*shlex.split(other), "--dry-run")[0] == 0
        assert main(*shlex.split(resume))[0] == 0
        _, _, err = run("--resume", "a run", "seed=3")
    assert "(rewardlab run --resume 'a run')" in err


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

    def test_with_another_stage_names_that_one(self, run, stopped):
        Path("r.yaml").write_text(RECIPE.replace("backend:", "  - {use: eval, samples: 7}\nbackend:"))
        assert 'stages.1 was absent, is {"use": "eval", "samples": 7}' in run("r.yaml", "--resume", stopped)[2]

    def test_of_no_run_says_so(self, run):
        Path("empty").mkdir()
        for folder, lacks in (("empty", "it has no {}"), ("nowhere", "there is no such folder")):
            for recipe, file in (((), "recipe.resolved.yaml"), (("r.yaml",), "state.json")):
                code, _, err = run(*recipe, "--resume", folder)
                assert code == 2
                why = f"error: {folder} is not the folder of a run: {lacks.format(file)}; name the folder that"
                assert err == f"{why} `rewardlab run` printed, or write RECIPE --resume latest\n"

    def test_without_either_asks_which(self, run):
        code, _, err = run()
        assert (code, err) == (2, "error: which recipe? rewardlab run RECIPE, or rewardlab run --resume DIR\n")


class TestResumeLatest:
    @staticmethod
    def folder_of(out):
        return Path(out.splitlines()[0].removeprefix("run directory: "))

    def test_goes_on_with_the_newest_run_of_the_recipe(self, run):
        assert run("r.yaml", "name=toy-20")[0] == 0  # its folder's name begins alike
        first, second = (self.folder_of(run("r.yaml")[1]) for _ in range(2))
        other = first.with_name("toy-20990101-000000")  # newest by its name, and no run
        other.mkdir()
        code, out, err = run("r.yaml", "--resume", "latest")
        assert (code, err) == (0, "")
        assert self.folder_of(out) == second
        assert json.loads((second / "state.json").read_text())["attempt"] == 1

    def unfinished(self, ran):
        """The folder of a run that was killed before it noted its stage as done."""
        folder = self.folder_of(ran[1])
        state = json.loads((folder / "state.json").read_text())
        (folder / "state.json").write_text(json.dumps(state | {"done": []}))
        return folder

    def test_a_finished_one_says_that_it_is(self, run):
        folder = self.folder_of(run("r.yaml")[1])
        for arguments in (("r.yaml", "--resume", "latest"), ("--resume", folder)):
            code, out, err = run(*arguments)
            assert (code, err) == (0, "")
            assert out.splitlines()[:2] == [
                f"run directory: {folder}",
                "this run is finished: no stage is left to do",
            ]
            assert f"results: {folder}" in out

    def test_an_unfinished_one_comes_before_newer_finished_ones(self, run):
        first = self.unfinished(run("r.yaml"))
        second = self.folder_of(run("r.yaml")[1])
        assert run("r.yaml", "--resume", "latest")[1].splitlines()[:2] == [
            f"the newest run, {second}, is finished; an earlier one is not, and is resumed",
            f"run directory: {first}",
        ]
        assert run("r.yaml", "--resume", "latest")[1].startswith(f"run directory: {second}\nthis run is finished")

    def test_goes_on_with_the_overrides_that_it_was_begun_with(self, run):
        """Also of a recipe that cannot be run without them, and if one of them gave the run another name."""
        Path("r.yaml").write_text(RECIPE.replace("model: {use: tiny}", ""))
        overrides = ("name=pre run", "model={use: tiny}", "reward.components.letters.on_missing=fail")
        folder = self.unfinished(run("r.yaml", *overrides))
        code, out, err = run("r.yaml", "--resume", "latest")
        assert (code, err) == (0, "")
        told = "'name=pre run' 'model={use: tiny}' reward.components.letters.on_missing=fail"
        assert out.splitlines()[:2] == [
            f"it was begun with the overrides {told}, and goes on with them",
            f"run directory: {folder}",
        ]

    def test_goes_on_with_the_one_of_the_overrides_that_are_given(self, run):
        """As the jobs of a sweep do that a scheduler starts again, each with its own command."""
        folders = [self.unfinished(run("r.yaml", f"seed={seed}", "name=sweep")) for seed in range(3)]
        for seed in (1, 0):
            code, out, _ = run("r.yaml", "name=sweep", f"seed={seed}", "--resume", "latest")
            assert (code, self.folder_of(out)) == (0, folders[seed])
        code, _, err = run("r.yaml", "seed=7", "--resume", "latest")
        assert code == 2
        assert "was made with another recipe (" in err
        assert "seed was 2, is 7" in err

    LOGIN = "judges={j: {use: openai/chat, with: {model: m, base_url: 'http://me:pass-word@127.0.0.1:1/v1'}}}"

    def test_an_override_with_a_login_is_known_by_its_variable(self, run, monkeypatch):
        folder = self.unfinished(run("r.yaml", self.LOGIN))
        assert "pass-word" not in (folder / "manifest.json").read_text()
        monkeypatch.delenv("REWARDLAB_LOGIN_JUDGES_J_BASE_URL")  # as in another process
        code, _, err = run("r.yaml", "--resume", "latest")
        assert code == 2
        assert "a URL had its user and password here, which are never written: export it as USER:PASSWORD" in err
        monkeypatch.setenv("REWARDLAB_LOGIN_JUDGES_J_BASE_URL", "me:pass-word")
        code, out, err = run("r.yaml", "--resume", "latest")
        assert (code, self.folder_of("\n".join(out.splitlines()[1:]))) == (0, folder), err
        assert "pass-word" not in out

    def test_of_an_override_that_no_command_keeps_the_folder_knows(self, run):
        folder = self.unfinished(run("r.yaml", self.LOGIN, "dataset.with.rows=32"))
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["commands"] = [command.replace("rows=32", "rows=***") for command in manifest["commands"]]
        (folder / "manifest.json").write_text(json.dumps(manifest))
        code, out, err = run("r.yaml", "--resume", "latest")
        assert code == 0, err
        assert "'dataset.with.rows=***'" in out.splitlines()[0]
        assert "***" not in (folder / "recipe.resolved.yaml").read_text()

    def test_another_file_of_the_same_name_is_another_recipe(self, run, write):
        """A file that has gone, as one that was moved, is known by its recipe's name."""
        first = self.unfinished(run("r.yaml"))
        write("other.yaml", RECIPE)
        second = self.unfinished(run("other.yaml"))
        assert self.folder_of(run("r.yaml", "--resume", "latest")[1]) == first
        Path("other.yaml").rename("moved.yaml")
        assert self.folder_of(run("moved.yaml", "--resume", "latest")[1]) == second

    def test_the_folder_of_a_run_is_a_recipe_too(self, run):
        first = self.folder_of(run("r.yaml")[1])
        second = self.unfinished(run(first))
        third = self.folder_of(run("r.yaml")[1])
        assert self.folder_of(run(first, "--resume", "latest")[1]) == second
        assert self.folder_of(run("r.yaml", "--resume", "latest")[1]) == third

    def test_a_stage_of_its_own_is_finished_when_that_stage_is(self, run):
        stages = f"stages=[{RL}, {RL}]"
        folder = self.folder_of(run("r.yaml", stages, "--stage", "0")[1])
        assert "is finished" in run("r.yaml", "--stage", "0", "--resume", "latest")[1]
        assert "is finished" not in run("r.yaml", "--resume", "latest")[1]
        assert json.loads((folder / "state.json").read_text())["done"] == [0, 1]

    @pytest.mark.parametrize(
        "manifest", ["{}", "[]", "1", "{", '{"commands": []}', '{"commands": [3]}', '{"commands": ["\'"]}']
    )
    def test_a_folder_without_a_readable_command_is_none(self, run, manifest):
        folder = self.unfinished(run("r.yaml"))
        (folder / "manifest.json").write_text(manifest)
        assert "no run of 'toy' to resume in runs/" in run("r.yaml", "--resume", "latest")[2]

    def test_an_evaluation_is_no_run_of_the_recipe(self, run, main):
        stages = f"stages=[{RL}, {{use: eval, samples: 1}}]"
        trained = self.folder_of(run("r.yaml", stages)[1])
        evaluation = ("eval", "r.yaml", stages, f"model={trained / 'models' / '0-rl'}")
        code, out, err = main(*evaluation)
        assert (code, err) == (0, "")
        assert self.folder_of(run("r.yaml", stages, "--resume", "latest")[1]) == trained
        assert self.folder_of(main(*evaluation, "--resume", "latest")[1]) == self.folder_of(out)

    def test_of_two_in_a_second_or_in_the_order_of_time(self, run):
        name = self.folder_of(run("r.yaml")[1])
        last = [f"toy-20990101-000000-{number}" for number in (10, *range(2, 10))]  # listed in any order
        for earlier_or_later in ("toy-20200101-000000-12", *last):
            copytree(name, name.with_name(earlier_or_later))
        _, out, _ = run("r.yaml", "--resume", "latest", "--json")
        assert json.loads(out)["directory"] == "runs/toy-20990101-000000-10"

    def test_without_a_run_says_so(self, run):
        told = "no run of 'toy' to resume in runs/; leave out --resume to start one, or name a folder: --resume DIR"
        assert run("r.yaml", "--resume", "latest") == (2, "", f"error: {told}\n")
        code, out, _ = run("r.yaml", "--resume", "latest", "--json")
        assert (code, [problem["what"] for problem in json.loads(out)["problems"]]) == (2, [told])

    @pytest.mark.parametrize("override", [(), ("seed=3",)])
    def test_without_a_recipe_asks_of_which(self, run, override):
        told = "error: the latest run of which recipe? rewardlab run RECIPE --resume latest\n"
        assert run("--resume", "latest", *override) == (2, "", told)

    def test_a_folder_of_that_name_is_written_as_one(self, run):
        run("r.yaml", "--run-dir", "latest")
        code, out, _ = run("--resume", "./latest")
        assert (code, self.folder_of(out)) == (0, Path("latest"))


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


@each_case("command", ["score", "compare", "probe", "causes", "check"])
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


class TestTrainsLonger:
    """A run that is resumed with more steps; rows of the ledger tell which steps were trained, in which attempt."""

    LONGER = "stages.0.steps=6"

    @pytest.fixture
    def finished(self, run):
        assert run("r.yaml", "stages.0.save_every=3", "--run-dir", "mine")[0] == 0
        return "mine"

    def trained(self, folder):
        rows = map(json.loads, Path(folder, "ledger.jsonl").read_text().splitlines())
        return sorted({(row["attempt"], row["step"]) for row in rows if row["trained"] == "yes"})

    def test_goes_on_where_it_ended_and_ends_as_one_run_of_that_length(self, run, finished):
        code, out, err = run("--resume", finished, self.LONGER)
        assert (code, err) == (0, "")
        assert out.startswith("run directory: mine\nstage 0 (rl) trains longer: steps was 3, is 6\n")
        first = self.trained(finished)[0][1]
        assert self.trained(finished) == [(0, first + n) for n in range(3)] + [(1, first + n) for n in range(3, 6)]
        assert run("r.yaml", "stages.0.save_every=3", self.LONGER, "--run-dir", "whole")[0] == 0
        models = [path.relative_to("whole") for path in Path("whole/models").rglob("*") if path.is_file()]
        assert models
        assert all(Path("mine", name).read_bytes() == Path("whole", name).read_bytes() for name in models)

    def test_goes_on_from_the_last_checkpoint_of_a_stage_that_was_interrupted(self, run):
        assert run("r.yaml", "stages.0.save_every=2", "--run-dir", "mine")[0] == 0
        rmtree("mine/models/0-rl")  # as a kill before the end of the stage leaves it
        Path("mine/state.json").write_text('{"attempt": 0, "done": []}')
        code, _, err = run("--resume", "mine", self.LONGER)
        assert (code, err) == (0, "")
        first = self.trained("mine")[0][1]
        again = [step - first for attempt, step in self.trained("mine") if attempt == 1]
        assert again == [3, 4, 5]

    def test_is_the_run_s_recipe_from_then_on(self, run, finished):
        assert run("--resume", finished, self.LONGER)[0] == 0
        code, out, _ = run("--resume", finished)
        assert (code, "stage 0 (rl) is done" in out) == (0, True)
        code, _, err = run("r.yaml", "stages.0.save_every=3", "--resume", finished)
        assert code == 2
        assert "another recipe (stages.0.steps was 6, is 3)" in err
        assert run("r.yaml", "stages.0.save_every=3", "stages.0.steps=7", "--resume", finished)[0] == 0

    @pytest.mark.parametrize("kept", [["state.json"], ["state.json", "manifest.json"]])
    def test_a_kill_while_it_is_noted_leaves_a_run_that_can_be_resumed_either_way(self, run, finished, kept):
        before = {name: Path(finished, name).read_bytes() for name in ("manifest.json", "recipe.resolved.yaml")}
        assert run("--resume", finished, self.LONGER)[0] == 0
        for name in {*before} - {*kept}:  # what a kill has not let be written yet
            Path(finished, name).write_bytes(before[name])
        Path(finished, "state.json").write_text('{"attempt": 1, "done": []}')
        code, _, err = run("--resume", finished)
        assert (code, err) == (0, "")
        assert run("--resume", finished, "stages.0.steps=8")[0] == 0
        assert self.trained(finished)[-1][1] - self.trained(finished)[0][1] == 7

    @pytest.mark.parametrize("override", ["stages.0.steps=2", "stages.0.steps=null", "stages.0.steps=6.0"])
    def test_other_lengths_are_another_recipe(self, run, finished, override):
        code, _, err = run("--resume", finished, override)
        assert code == 2
        assert "another recipe (stages.0.steps was 3, is" in err or "expected" in err

    def test_beside_another_change_is_another_recipe(self, run, finished):
        code, _, err = run("--resume", finished, self.LONGER, "seed=5")
        assert code == 2
        assert "another recipe (stages.0.steps was 3, is 6, seed was absent, is 5)" in err

    def test_epochs_may_grow_too(self, run):
        epochs = ["stages.0.steps=null", "stages.0.epochs=0.5"]
        assert run("r.yaml", *epochs, "--run-dir", "mine")[0] == 0
        code, out, _ = run("--resume", "mine", "stages.0.epochs=1.0")
        assert (code, "trains longer: epochs was 0.5, is 1\n" in out) == (0, True)

    def test_evaluations_behind_it_are_done_again(self, run):
        stages = "stages=[{use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 3}, {use: eval, samples: 2}]"
        assert run("r.yaml", stages, "--run-dir", "mine")[0] == 0
        results = {path: path.stat().st_mtime_ns for path in Path("mine/evaluation").glob("1-eval*.json")}
        assert results
        code, out, _ = run("--resume", "mine", self.LONGER)
        assert (code, "is done" in out) == (0, False)
        assert all(path.stat().st_mtime_ns > then for path, then in results.items())

    def test_a_stage_whose_model_another_has_trained_on_is_refused(self, run):
        stage = "{use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 3}"
        assert run("r.yaml", f"stages=[{stage}, {stage}]", "--run-dir", "mine")[0] == 0
        code, _, err = run("--resume", "mine", self.LONGER)
        assert code == 2
        assert err == (
            "error: stages.0.steps: stage 1 has begun from the model that stage 0 wrote; train further in a new run "
            "that begins with model=mine/models/1-rl\n"
        )
        assert run("--resume", "mine", "stages.1.steps=6")[0] == 0

    def test_an_engine_that_cannot_is_named(self, run, finished, monkeypatch):
        _, engine = installed().find_backend("toy")
        monkeypatch.setitem(engine.__dict__, "trains_longer", False)
        code, _, err = run("--resume", finished, self.LONGER)
        assert code == 2
        assert err.startswith("error: stages.0.steps: toy plans a stage for the steps that it starts with")
        assert "model=mine/models/0-rl" in err
        assert json.loads(Path(finished, "state.json").read_text())["done"] == [0]


class TestARunThatHadNotBegun:
    """A kill, a full disk or a file system without locks left its folder before state.json was written."""

    @pytest.fixture
    def left(self, run, tmp_path):
        assert run("r.yaml", "--run-dir", "left")[0] == 0
        folder = tmp_path / "left"
        for path in sorted(folder.rglob("*"), reverse=True):
            if path.name not in ("lock", "recipe.resolved.yaml", "manifest.json"):
                path.rmdir() if path.is_dir() else path.unlink()
        return folder

    @pytest.mark.parametrize("how", ["--run-dir", "--resume"])
    def test_begins_in_its_folder(self, run, left, how):
        code, _, err = run("r.yaml", how, "left")
        assert (code, (left / "state.json").is_file()) == (0, True), err

    def test_with_no_recipe_says_how_it_begins(self, run, left):
        (left / "recipe.resolved.yaml").unlink()
        told = "error: the run in left had not begun; start it: rewardlab run RECIPE --run-dir left\n"
        assert run("--resume", "left") == (2, "", told)

    def test_is_not_the_latest(self, run, left, tmp_path):
        good = run("r.yaml")[1].splitlines()[0].removeprefix("run directory: ")
        left.rename(tmp_path / "runs" / (Path(good).name[:-15] + "29991231-235959"))
        assert run("r.yaml", "--resume", "latest")[1].splitlines()[0] == f"run directory: {good}"

    def test_of_another_process_is_left_alone(self, run, left):
        with closing(FileLock(left / "lock")):
            assert "another process is running in this folder" in run("r.yaml", "--run-dir", "left")[2]

    def test_foreign_files_are_kept(self, run, left):
        (left / "mine.txt").write_text("mine")
        assert "this folder is not empty" in run("r.yaml", "--run-dir", "left")[2]


def test_a_file_system_without_locks_is_named(run, monkeypatch):
    def no_lock(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("rewardlab.files.fcntl.flock", no_lock)
    code, _, err = run("r.yaml", "--run-dir", "new")
    assert code == 1
    assert "error: new/lock: this file system gives no lock (No locks available); name a folder on another" in err
    monkeypatch.undo()


@pytest.mark.parametrize("content", ["{}", '{"name": "x", "slices": []}', "[" * 99999])
def test_damaged_results_are_said_and_the_rest_is_reported(run, main, tmp_path, content):
    assert run("r.yaml", "--run-dir", "done")[0] == 0
    (tmp_path / "done" / "evaluation").mkdir(exist_ok=True)
    (tmp_path / "done" / "evaluation" / "0-rl-after.json").write_text(content)
    code, _, err = main("report", "done")
    assert code == 0
    assert "warning: evaluation/0-rl-after.json is damaged (" in err
    assert "fault" not in err


def test_the_latest_goes_on_with_the_longer_training_that_it_was_resumed_with(run):
    out = run("r.yaml")[1]
    folder = out.splitlines()[0].removeprefix("run directory: ")
    assert run("--resume", folder, "stages.0.steps=4")[0] == 0
    code, out, err = run("r.yaml", "--resume", "latest")
    assert code == 0, err
    assert "was resumed with a longer training since; it goes on with that" in out
