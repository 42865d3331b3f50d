"""What the commands do, from Python: the same text and the same JSON, of paths and of what a program holds."""

import json
import math
from pathlib import Path

import pytest
import rewardlab
from rewardlab.errors import JobError, UserError

RECIPE = {
    "version": 1,
    "reward": {
        "components": {"brief": {"use": "toy/brevity", "with": {"words": 2}}, "longest": {"use": "toy/longest"}},
        "total": "2 * brief + longest",
    },
}
ROWS = [
    {
        "id": f"r{number}",
        "prompt": "Why is it so?",
        "completions": ["It is.", "It is so since it is so."],
        "language": "en",
    }
    for number in range(4)
]
PAIRS = [{"prompt": "Why?", "chosen": "please wait", "rejected": "no", "language": "en"} for _ in range(3)]
JUDGED = {
    "version": 1,
    "judges": {"main": {"use": "toy/polite"}},
    "reward": {"components": {"judged": {"use": "toy/prefer", "with": {"judge": "main"}}}, "total": "judged"},
}

TRAINING = {
    "version": 1,
    "name": "toy",
    "model": {"use": "tiny"},
    "dataset": {"use": "toy/counting", "with": {"rows": 32}, "holdout": 0.2},
    "reward": {"components": {"letters": {"use": "toy/letters"}}, "total": "letters"},
    "stages": [{"use": "rl", "algorithm": "grpo", "group_size": 4, "batch_size": 2, "steps": 3}],
    "backend": {"use": "toy"},
}


@pytest.fixture
def files(tmp_path):
    """The recipe and the rows as files: (recipe.yaml, rows.jsonl)."""
    recipe, rows = tmp_path / "recipe.yaml", tmp_path / "rows.jsonl"
    recipe.write_text(json.dumps(RECIPE))
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return recipe, rows


class TestCheck:
    def test_says_what_the_command_says(self, main, files):
        found = rewardlab.check(files[0])
        assert found.ok
        assert main("check", str(files[0])) == (0, f"{found}\n", "")
        assert json.loads(main("check", "recipe.yaml", "--json")[1]) == found.data

    def test_of_a_wrong_recipe_raises_nothing(self, toy):
        found = rewardlab.check(RECIPE, "reward.total=brif")
        assert not found.ok
        assert [problem.what for problem in found.problems] == ["no component 'brif'; did you mean 'brief'?"]
        assert str(found).endswith("no component 'brif'; did you mean 'brief'?")
        assert found.data["problems"][0]["path"] == ["reward", "total"]

    def test_looks_for_causes_in_rows_that_are_scored(self, main, files, tmp_path):
        assert main("score", "recipe.yaml", "rows.jsonl", "-o", "out.jsonl")[0] == 0
        found = rewardlab.check(files[0], rows=str(tmp_path / "out.jsonl"))
        assert found.data["causes"]["groups"] == len(ROWS)
        assert json.loads(main("check", "recipe.yaml", "out.jsonl", "--json")[1]) == found.data


class TestProbe:
    def test_says_what_the_command_says(self, main, files):
        found = rewardlab.probe(files[0], files[1], by=["language"])
        code, out, _ = main("probe", "recipe.yaml", "rows.jsonl", "--by", "language")
        assert (code, out) == (0 if found.ok else 1, f"{found}\n")

    def test_takes_a_dict_and_rows_of_a_program(self, main, files):
        assert rewardlab.probe(RECIPE, ROWS).data == rewardlab.probe(*files).data

    def test_takes_overrides(self, toy):
        assert rewardlab.probe(RECIPE, ROWS, "reward.total=longest").data["total"] == "longest"


class TestCompare:
    def test_says_what_the_command_says(self, main, files):
        found = rewardlab.compare(files[0], files[0], files[1], overrides_b=["reward.total=brief"])
        code, out, _ = main("compare", "recipe.yaml", "recipe.yaml", "rows.jsonl", "b:reward.total=brief")
        shown = str(found).replace(str(files[0]), "recipe.yaml")
        assert (code, without_seconds(out)) == (0, without_seconds(f"{shown}\n"))

    def test_takes_dicts_and_rows_of_a_program(self, toy):
        found = rewardlab.compare(RECIPE, RECIPE, ROWS, "reward.components.brief.with.words=3", overrides_b=["seed=4"])
        assert found.data["a"]["path"] == "recipe"
        assert found.data["slices"]["all"]["groups"] == len(ROWS)

    def test_needs_rows_to_score(self, toy):
        with pytest.raises(UserError, match="rows are needed to score by recipe and recipe"):
            rewardlab.compare(RECIPE, RECIPE)

    def test_compares_scored_files(self, main, files, tmp_path):
        for name, total in (("a", "brief"), ("b", "longest")):
            assert main("score", "recipe.yaml", f"reward.total={total}", "rows.jsonl", "-o", f"{name}.jsonl")[0] == 0
        found = rewardlab.compare(tmp_path / "a.jsonl", str(tmp_path / "b.jsonl"))
        assert found.data["slices"]["all"]["groups"] == len(ROWS)


class TestJudge:
    def test_measures_what_the_command_measures(self, main, tmp_path):
        (tmp_path / "recipe.yaml").write_text(json.dumps(JUDGED))
        (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
        found = rewardlab.judge(JUDGED, PAIRS)
        printed = json.loads(main("judge", "recipe.yaml", "pairs.jsonl", "--json")[1])
        assert json.loads(json.dumps(found.data)) == printed
        assert main("judge", "recipe.yaml", "pairs.jsonl")[1] == f"{found}\n"
        assert found.data["components"]["judged"]["all"]["accuracy"] == 1.0

    def test_measures_named_components(self, toy):
        with pytest.raises(UserError, match="no component 'other'"):
            rewardlab.judge(JUDGED, PAIRS, components=["other"])


class TestRun:
    def test_runs_a_dict_to_its_report(self, toy, tmp_path):
        said = []
        result = rewardlab.run(TRAINING, "seed=3", folder=tmp_path / "mine", say=said.append)
        assert (result.directory, result.stopped) == (tmp_path / "mine", False)
        assert (result.directory / "report.html").is_file()
        assert said[0] == f"run directory: {tmp_path / 'mine'}"
        with rewardlab.load_reward(result.directory) as reward:
            assert reward.score_one(prompt="?", completion="abc1").total == 0.75

    def test_goes_on_with_the_folder_of_a_run(self, toy, tmp_path):
        stop = {"reward.components.letters": "{use: toy/faulty, with: {when: e, how: fail}}"}
        broken = [f"{key}={value}" for key, value in stop.items()]
        with pytest.raises(JobError) as caught:
            rewardlab.run(TRAINING, *broken, folder=tmp_path / "mine", say=lambda line: None)
        (advice, *_) = caught.value.__notes__
        assert advice.endswith(f"continue with: rewardlab run --resume {tmp_path / 'mine'}")
        with pytest.raises(JobError):
            rewardlab.run(resume=tmp_path / "mine", say=lambda line: None)

    def test_tells_the_recipe_s_warnings_first(self, toy, tmp_path):
        said = []
        unused = TRAINING | {"judges": {"main": {"use": "toy/polite"}}}
        rewardlab.run(unused, folder=tmp_path / "mine", say=said.append)
        assert said[0] == "warning: recipe: judges.main: nothing asks this judge; leave it out"

    def test_refuses_a_wrong_recipe_before_anything_is_made(self, toy, tmp_path):
        with pytest.raises(UserError, match="no component 'leters'"):
            rewardlab.run(TRAINING, "reward.total=leters", folder=tmp_path / "mine")
        assert not (tmp_path / "mine").exists()


class TestRowsOfAProgram:
    def test_hold_json_values(self, toy):
        with pytest.raises(UserError) as caught:
            rewardlab.probe(RECIPE, [ROWS[0], ROWS[1] | {"when": Path("x")}, ROWS[2] | {"number": math.nan}])
        first, second, last = str(caught.value).splitlines()
        assert first == "rows[1]: Object of type PosixPath is not JSON serializable"
        assert second.startswith("rows[2]: Out of range float values are not JSON compliant")
        assert last == "rows: 2 bad rows; a row holds JSON values"

    @pytest.mark.parametrize("score", [rewardlab.score, rewardlab.probe])
    def test_that_are_bad_are_named_as_the_program_has_them(self, score, toy, tmp_path):
        more = {"output": tmp_path / "scores.jsonl"} if score is rewardlab.score else {}
        rows, notes = [*ROWS, {"prompt": "Why?", "completions": 3}, {"completions": ["so"]}], []
        with pytest.raises(UserError) as found:
            score(RECIPE, rows, **more)
        assert [problem.where for problem in found.value.problems] == ["rows[4]", "rows[5]", "rows"]
        assert [line.partition(":")[0] for line in str(found.value).splitlines()] == ["rows[4]", "rows[5]", "rows"]
        score(RECIPE, rows, skip_bad=True, say=notes.append, **more)
        assert "rows[4]" in notes[0]
        assert "rows.jsonl" not in "".join(notes)


def test_a_notebook_shows_the_text(toy):
    class Printer:
        shown = ""

        def text(self, text):
            self.shown += text

    printer = Printer()
    idle = {"judges": {"main": {"use": "toy/polite"}}}
    rewardlab.check(RECIPE | idle)._repr_pretty_(printer, False)
    warning, fine, total = printer.shown.splitlines()
    assert warning.startswith("warning: recipe: judges.main: nothing asks this judge")
    assert fine == "fine"
    assert total.startswith("total '2 * brief + longest' is in")


def without_seconds(text):
    return [line for line in text.splitlines() if " s" not in line]
