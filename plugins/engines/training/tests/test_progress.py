"""`progress` in a total: the share of the stage's steps that is done, and a declared number if there are no steps."""

import json

import pytest
import rewardlab
from helpers.each_case import each_case
from rewardlab.errors import UserError

RECIPE = """
    version: 1
    name: toy
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 8}, holdout: 0.25}
    reward:
      components: {brevity: {use: toy/brevity, with: {words: 2}}, letters: {use: toy/letters}}
      total: (1 - progress) * brevity + progress * letters
    stages:
      - {use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 2, steps: 2, eval: {samples: 2}}
    backend: {use: toy}
"""
ROW = {"id": "r", "prompt": "?", "completions": ["one", "five words are too many", "..."]}


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def total(row, progress):
    brevity, letters = (row["components"][name]["value"] for name in ("brevity", "letters"))
    return (1 - progress) * brevity + progress * letters


@pytest.fixture
def trained(main, write, tmp_path):
    """`trained(*arguments)`: the ledger of a run of the recipe, all attempts."""
    write("r.yaml", RECIPE)

    def run(*arguments):
        code, _, err = main("run", *arguments)
        assert code == 0, err
        (folder,) = (tmp_path / "runs").iterdir()
        return folder, rows_of(folder / "ledger.jsonl")

    return run


def test_is_the_share_of_the_steps_that_is_done_also_of_a_run_that_goes_on(trained):
    folder, _ = trained("r.yaml", "reward.normalize=[normalize/gdpo]")
    _, rows = trained("--resume", str(folder), "stages.0.steps=4")
    found = {}
    for row in rows:
        assert row["total"] == pytest.approx(total(row, row["progress"]))
        weights = [row["components"][name]["weight"] for name in ("brevity", "letters")]
        assert weights == [1 - row["progress"], row["progress"]]
        found.setdefault((row["attempt"], row["phase"], row["step"]), set()).add(row["progress"])
    assert found == {
        (0, "before", 0): {1},
        (0, "training", 1): {0},
        (0, "training", 2): {0.5},
        (0, "after", 2): {1},
        (1, "training", 3): {0.5},
        (1, "training", 4): {0.75},
        (1, "after", 4): {1},
    }


def test_of_an_evaluation_is_what_the_recipe_declares(trained):
    _, rows = trained("r.yaml", "reward.progress=0.25")
    assert {row["progress"] for row in rows if row["phase"] != "training"} == {0.25}


def test_is_declared_where_nothing_trains_and_said(main, write, tmp_path):
    write("r.yaml", RECIPE)
    write("rows.jsonl", f"{json.dumps(ROW)}\n{json.dumps({**ROW, 'id': 's'})}\n")
    code, _, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "reward.progress=0.5")
    assert code == 0, err
    assert "r.yaml:8: reward.total: progress is 0.5 here, as reward.progress says\n" in err
    whole = (tmp_path / "out.jsonl").read_bytes()
    (tmp_path / "out.jsonl").write_bytes(whole[: len(whole) // 2 + 9])
    code, _, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "reward.progress=0.5", "--resume")
    assert (code, (tmp_path / "out.jsonl").read_bytes()) == (0, whole), err
    row, _ = rows_of(tmp_path / "out.jsonl")
    values = (row["components"][name]["value"] for name in ("brevity", "letters"))
    assert row["progress"] == 0.5
    assert row["total"] == pytest.approx([(b + c) / 2 for b, c in zip(*values, strict=True)])
    code, _, err = main("causes", "r.yaml", "out.jsonl")
    assert code == 0, f"each row says what it was scored at: {err}"


def test_is_what_a_program_says_that_trains_by_itself(write, toy):
    path = write("r.yaml", RECIPE)
    said = []
    with rewardlab.load_reward(path, say=said.append) as reward:
        (start,), (end,), (half,) = (reward.score([ROW], progress=progress) for progress in (0, None, 0.5))
        for wrong in (2, "half"):
            with pytest.raises(UserError, match=f"from 0 to 1, and not {wrong!r}"):
                reward.score([ROW], progress=wrong)
    assert [line.partition("r.yaml")[2] for line in said] == [
        ":8: reward.total: progress is 1 here, as reward.progress says"
    ]
    assert half.totals == pytest.approx([(a + b) / 2 for a, b in zip(start.totals, end.totals, strict=True)])
    assert start.totals != end.totals


def test_of_a_component_is_that_component(main, write, tmp_path):
    write("r.yaml", RECIPE.replace("letters", "progress", 1).replace("* letters", "* progress"))
    write("rows.jsonl", json.dumps(ROW))
    code, _, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "reward.total=progress")
    assert code == 0, err
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert row["total"] == row["components"]["progress"]["value"]
    assert "progress" not in row


@each_case(
    "total, found",
    [
        ("brevity / (1 + progress)", {}),
        ("brevity / progress", "the denominator `progress` can be 0 (its range is [0, 1])"),
        ("clip(brevity, progress, 0.5)", "in `clip(brevity, progress, 0.5)` low can be above high (progress up to 1"),
        ("brevity + progres", "no component 'progres'"),
    ],
)
def test_is_checked_from_0_to_1(problems, total, found):
    given = problems(f"reward.total={total}")
    assert given == found or found in given["reward.total"], given


def test_ranges_are_those_of_all_progress(main, write):
    write("r.yaml", RECIPE)
    code, out, _ = main("check", "r.yaml", "reward.total=progress * brevity - progress")
    assert (code, out) == (0, "r.yaml: fine\ntotal 'progress * brevity - progress' is in [-1, 1]\n")
