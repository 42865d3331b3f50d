"""The commonest mistake, a right answer under another name: what each door of the core says about it helps."""

import json

import pytest
import rewardlab
from helpers.advice import as_advised
from rewardlab import load_reward
from rewardlab.errors import UserError

BOX = {"use": "math/accuracy", "workers": 1}
RECIPE = {"version": 1, "reward": {"components": {"accuracy": BOX}, "total": "accuracy"}}
ROW = {"prompt": "1+1?", "completions": ["\\boxed{2}", "\\boxed{3}"], "solution": "2"}


@pytest.fixture
def rows(write):
    write("recipe.yaml", json.dumps(RECIPE))
    return write("rows.jsonl", [ROW])


def score(recipe, rows):
    return rewardlab.score(recipe, rows, output="scored.jsonl").ok


def program(recipe, rows):
    with load_reward(recipe) as reward:
        return reward.score([ROW])[0].totals == [1.0, 0.0]


def one(recipe, rows):
    with load_reward(recipe) as reward:
        return reward.score_one(prompt="1+1?", completion="\\boxed{2}", solution="2").total == 1


def check(recipe, rows):
    found = rewardlab.check(recipe, rows=str(rows))
    if not found.ok:  # it raises nothing for mistakes
        raise UserError(str(found))
    return found.ok


def compare(recipe, rows):
    return rewardlab.compare(recipe, recipe, rows).ok


def probe(recipe, rows):
    return rewardlab.probe(recipe, rows).data["rows"] == 1


SLOW = [pytest.param(door, marks=pytest.mark.slow) for door in (program, one, compare, probe)]
"""that start a process which reads answers, as `score` does, too"""


@pytest.mark.slow
@pytest.mark.parametrize("door", [score, check, *SLOW])
def test_a_column_is_called_as_the_message_says(toy, rows, door, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="field 'answer' is needed by accuracy") as missing:
        door(RECIPE, rows)
    assert door(as_advised(RECIPE, missing, "solution"), rows)


@pytest.mark.slow
def test_it_is_enough_on_the_command_line(main, rows):
    code, _, err = main("score", "recipe.yaml", rows, "-o", "scored.jsonl")
    assert code == 2
    assert "map its column with `dataset: {fields: {answer: <column>}}`" in err
    assert main("score", "recipe.yaml", rows, "-o", "scored.jsonl", "dataset.fields.answer=solution")[0] == 0
    assert main("score", "recipe.yaml", rows, "-o", "2.jsonl", "dataset={fields: {answer: no}}")[2].startswith(
        f"error: {rows}:1: field 'answer' is needed by accuracy (math/accuracy), but the row has none: "
        "there is no column 'no'"
    )


@pytest.mark.parametrize(
    ("dataset", "told"),
    [
        ("{}", "dataset.use: missing"),
        ("{fields: {answer: s}, holdout: 0.1}", "dataset.use: missing"),
        ("{fields: {answer: s}, with: {path: x}}", "dataset.use: missing"),
        ("{fields: {answer: 3}}", "dataset.fields.answer: expected a text, found 3"),
        ("{fields: [answer]}", "dataset.fields: expected a mapping"),
        ("{field: {answer: s}}", "dataset.field: no such option; did you mean 'fields'?"),
        ("[fields]", "dataset: expected a mapping"),
    ],
)
def test_what_is_no_naming_of_columns_is_refused(main, rows, dataset, told):
    code, _, err = main("score", "recipe.yaml", rows, "-o", "scored.jsonl", f"dataset={dataset}")
    assert code == 2
    assert told in err


@pytest.mark.slow
@pytest.mark.parametrize(
    "stages",
    [
        "[{use: rl, algorithm: grpo, group_size: 2, batch_size: 2, steps: 1}]",
        "[{use: sft, batch_size: 2, steps: 1}]",
        "[{use: eval}, {use: eval}]",
        "[{use: eval, sets: {a: null, b: {use: toy/counting}}}]",
    ],
)
@pytest.mark.parametrize("command", [["check"], ["run", "--dry-run"]])
def test_where_a_dataset_is_read_its_use_is_missing(main, rows, stages, command):
    command, *flags = command
    overrides = ["model={use: tiny}", "dataset.fields.answer=solution", f"stages={stages}"]
    code, _, err = main(command, "recipe.yaml", *flags, *overrides)
    assert code == 2
    assert err.count("dataset.use: missing; stages read this dataset: <plugin>/<name>") == 1
    if command == "check" and "sft" in stages:
        assert main("score", "recipe.yaml", rows, "-o", "scored.jsonl", *overrides)[0] == 0


def test_stages_with_datasets_of_their_own_need_none(main, rows):
    stage = "{use: eval, dataset: {use: toy/counting}}"
    overrides = ["model={use: tiny}", "dataset.fields.answer=solution", f"stages=[{stage}]"]
    assert "dataset.use" not in main("check", "recipe.yaml", *overrides)[2]


def test_a_nested_dataset_still_needs_its_use(main, rows):
    stage = "{use: data, to: x.jsonl, dataset: {fields: {answer: solution}}}"
    assert "stages.0.dataset.use: missing" in main("check", "recipe.yaml", f"stages=[{stage}]")[2]


def test_probe_without_rows_says_what_to_name(main, rows):
    told = main("probe", "recipe.yaml", "dataset.fields.answer=solution")[2]
    assert "the recipe has no dataset; name a file" in told
