"""The rows that `score` reads: the second pass finds what the first one checked, or says that it does not."""

import json
from pathlib import Path

import pytest
from helpers.paths import TESTS
from rewardlab.errors import JobError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scorefile.index import RowIndex
from rewardlab.scorefile.rows import check_rows, rows_to_score
from rewardlab.scoring.given_rows import RowCheck

PLUGIN = TESTS / "score_plugin"
ROW = {"prompt": "?", "completions": ["x"]}


@pytest.fixture
def check(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(PLUGIN))
    monkeypatch.chdir(tmp_path)
    reward = {"components": {"length": {"use": "cases/length"}}, "total": "length"}
    Path("r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))
    return RowCheck(make_plan(load("r.yaml"), purpose="score"))


@pytest.fixture
def index():
    index = RowIndex()
    yield index
    index.close()


def write(*rows):
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_bad_and_scored_rows_are_passed_over(check, index):
    write(ROW | {"id": 5}, ROW | {"id": 5}, "bad", ROW, ROW, ROW | {"id": "last"})
    bad = check_rows("rows.jsonl", check, index, lambda: None)
    assert [problem.where for problem in bad.listed] == ["rows.jsonl:2", "rows.jsonl:3"]
    ids = [row_id for _, row_id, _ in index.rows()]
    index.place(ids[1], 0, 1)
    found = list(rows_to_score("rows.jsonl", check, index))
    assert [row.given_id for row in found] == [5, ids[2], "last"]
    assert [row.group.sample.id for row in found] == ["5", ids[2], "last"]
    assert [row.group.sample.source for row in found] == ["rows.jsonl:1", "rows.jsonl:5", "rows.jsonl:6"]


@pytest.mark.parametrize(
    ("second", "complaint"),
    [
        (
            [ROW | {"id": "a"}],
            "rows.jsonl:2: the file changed while it was read: this row cannot be read any more",
        ),
        (
            [ROW | {"id": "a"}, ROW | {"id": "c"}],
            "rows.jsonl:2: the file changed while it was read: the id was 'b'",
        ),
        ([ROW | {"id": "a"}, {"id": "b"}], "rows.jsonl:2: the file changed while it was read: no prompt"),
        ([ROW | {"id": "a"}, ROW], "rows.jsonl:2: the file changed while it was read: the id was 'b', is '"),
    ],
)
def test_rows_that_change_between_the_passes_are_an_error(check, index, second, complaint):
    write(ROW | {"id": "a"}, ROW | {"id": "b"})
    check_rows("rows.jsonl", check, index, lambda: None)
    write(*second)
    rows = rows_to_score("rows.jsonl", check, index)
    assert next(rows).given_id == "a"
    with pytest.raises(JobError) as raised:
        next(rows)
    assert str(raised.value).startswith(complaint)


def test_a_prompt_that_changes_between_the_passes_is_an_error(check, index):
    write(ROW)
    check_rows("rows.jsonl", check, index, lambda: None)
    write(ROW | {"prompt": "another"})
    with pytest.raises(JobError, match=r"rows.jsonl:1: the file changed while it was read: the id was"):
        list(rows_to_score("rows.jsonl", check, index))
