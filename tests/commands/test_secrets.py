"""No command prints or writes what a recipe takes from the environment, or the login in a URL."""

import json
import os
import re
from pathlib import Path

import pytest

RECIPE = """
version: 1
name: ${oc.env:S_NAME}
seed: ${oc.env:S_SEED}
model: ${oc.env:S_POLICY}
dataset: {use: data/jsonl, with: {path: "${oc.env:S_DATA}/rows.jsonl"}, holdout: 0.3}
judges:
  main:
    use: openai/chat
    with:
      model: ${oc.env:S_MODEL}
      base_url: http://bob:hush-login-0@127.0.0.1:PORT/v1
      extra_body: {user: "${oc.env:S_EXTRA}"}
    cassette: {path: "${oc.env:S_DATA}/tape.jsonl", mode: record}
reward:
  components:
    preference: {use: pairwise/win_rate, with: {judge: main, orders: balanced}}
    brevity: {use: toy/brevity, with: {words: "${oc.env:S_WORDS}"}}
  total: "preference + brevity"
stages:
  - use: rl
    algorithm: grpo
    group_size: 4
    batch_size: 2
    steps: 2
    eval: {samples: 2, by: ["${oc.env:S_BY}"]}
backend: {use: toy}
"""
LOGIN = "hush-login-0"
ANSWERS = '{"answers": ["a", "a b c"], "logits": {}}'


@pytest.fixture
def variables(tmp_path, monkeypatch):
    values = {
        "S_NAME": "hush-name-1",
        "S_SEED": "774411",
        "S_POLICY": str(tmp_path / "hush-policy-2"),
        "S_DATA": str(tmp_path / "hush-data-3"),
        "S_MODEL": "hush-model-4",
        "S_EXTRA": "hush-extra-5",
        "S_WORDS": "9173",
        "S_BY": "hush-by-6",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return values


@pytest.fixture
def written(write, variables, judge_server, tmp_path):
    """The recipe, its rows and its judge; the text of all files that came since, but for rows as they were given."""
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        recipe = write("r.yaml", RECIPE.replace("PORT", str(server.port)))
        rows = [{"id": i, "prompt": f"{i} + 1?", "completions": ["2", "one two"], "hush-by-6": i % 2} for i in range(8)]
        given = {recipe, write("hush-data-3/rows.jsonl", rows)}

        def contents():
            found = [path for path in tmp_path.rglob("*") if path.is_file() and path not in given]
            return {path: without_rows(path) for path in found if not path.name.endswith(".rows.jsonl")}

        yield contents


def without_rows(path):
    """The text of a file, of a ledger without the fields, whose columns are the user's data."""
    text = path.read_text()
    if path.name != "ledger.jsonl":
        return text
    return "".join(json.dumps(json.loads(line) | {"fields": None}) for line in text.splitlines())


def leaks(variables, text):
    return [value for value in (*variables.values(), LOGIN) if value in text]


class TestNothingLeaks:
    @pytest.fixture
    def said(self, main, variables):
        """Run a command and return (code, what it printed), in which nothing is."""

        def run(*arguments):
            code, out, err = main(*arguments)
            assert not leaks(variables, out + err), out + err
            return code, out, err

        return run

    def test_from_what_does_not_start(self, said, written):
        tiny = "model={use: tiny}"
        assert said("check", "r.yaml", tiny)[0] == 0
        assert json.loads(said("check", "r.yaml", tiny, "--json")[1])["ok"]
        code, out, _ = said("run", "r.yaml", tiny, "--dry-run")
        assert (code, "preference asks main" in out) == (0, True)
        for wrong in ("ftp://bob:hush-login-0@h", "http://bob:hush-login-0@h:99999", "http://bob:hush-login-0@h:0/v1"):
            assert said("check", "r.yaml", f"judges.main.with.base_url={wrong}")[0] == 2
            assert not json.loads(said("check", "r.yaml", "--json", f"judges.main.with.base_url={wrong}")[1])["ok"]
        assert written() == {}

    def test_from_scores(self, said, written, variables):
        rows = Path(variables["S_DATA"]) / "rows.jsonl"
        code, out, err = said("score", "r.yaml", rows, "-o", "out.jsonl", "--json")
        assert (code, json.loads(out)["output"]) == (0, "out.jsonl"), err
        said("score", "r.yaml", rows, "-o", "out.jsonl", "--resume", "judges.main.with.model=other")
        files = written()
        assert {"out.jsonl", "tape.jsonl"} <= {path.name for path in files}
        assert not [path for path, text in files.items() if leaks(variables, text)]

    def test_from_a_run(self, said, written, variables):
        tiny = "model={use: tiny}"
        folder = Path(variables["S_DATA"]) / "runs"
        code, out, err = said("run", "r.yaml", tiny, "--run-dir", folder)
        assert code == 0, err
        assert out.splitlines()[1] == "run directory: ${S_DATA}/runs"
        shown = re.search(r"(rewardlab score .*)", out)[1]
        assert shown.startswith('rewardlab score "${S_DATA}"/runs/recipe.resolved.yaml "${S_DATA}"/runs/evaluation/')
        assert said("report", folder)[0] == 0
        assert said("run", "--resume", folder, "--json")[0] == 0
        files = written()
        assert {"recipe.resolved.yaml", "manifest.json", "ledger.jsonl", "report.html"} <= {p.name for p in files}
        assert not [path for path, text in files.items() if leaks(variables, text)]


def test_a_run_goes_on_without_the_recipe_where_the_login_is_given_again(main, written, variables):
    assert main("run", "r.yaml", "model={use: tiny}", "--run-dir", "mine")[0] == 0
    name = next(name for name in os.environ if name.startswith("REWARDLAB_LOGIN_"))
    login = os.environ.pop(name)
    code, _, err = main("run", "--resume", "mine")
    assert (code, f"no environment variable {name}" in err) == (2, True)
    os.environ[name] = login
    assert main("run", "--resume", "mine")[0] == 0


def test_a_command_to_go_on_works_where_a_variable_is_part_of_a_path(main, write, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_DATA", str(tmp_path / "data"))
    write("data/rows.jsonl", [{"id": 1, "prompt": "?", "completions": ["a"], "log": "x"}])
    write(
        "r.yaml",
        """
        version: 1
        dataset: {use: data/jsonl, with: {path: "${oc.env:MY_DATA}/rows.jsonl"}}
        reward:
          components: {faulty: {use: toy/faulty, with: {when: a, how: fail}}}
          total: faulty
        """,
    )
    code, _, err = main("score", "r.yaml", tmp_path / "data/rows.jsonl", "-o", tmp_path / "data/out.jsonl")
    assert code == 1
    assert 'to go on: rewardlab score r.yaml "${MY_DATA}"/rows.jsonl -o "${MY_DATA}"/out.jsonl --resume' in err
