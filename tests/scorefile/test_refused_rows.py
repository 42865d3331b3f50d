"""Rows with a field that a reward cannot use, such as an empty right answer, are bad rows."""

import json
from pathlib import Path

import pytest
from rewardlab.cli import main

CHOICES = {"A": "a train", "B": "a car"}
ROW = {"prompt": "Which?", "choices": CHOICES, "answer": "A", "completions": ["\\boxed{A}"]}


@pytest.fixture
def score(tmp_path, monkeypatch, capsys):
    """score(rows, *flags): (exit code, rows of scores, what is told)."""
    monkeypatch.chdir(tmp_path)
    judge = {"use": "openai/chat", "with": {"model": "m", "base_url": "http://127.0.0.1:9/v1"}}  # nobody is asked
    components = {
        "choice": {"use": "choice/accuracy"},
        "math": {"use": "math/accuracy", "workers": 1},
        "rubric": {"use": "rubric/pointwise", "with": {"judge": "main", "rubric": {"field": "rubric"}}},
        "verdict": {"use": "rubric/verdict", "with": {"gold": "gold"}},
        "preference": {"use": "pairwise/win_rate", "with": {"judge": "main", "privileged": "reference"}},
    }

    def run(rows, *flags, component="choice"):
        reward = {"components": {component: components[component]}, "total": component}
        judges = {"main": judge} if "with" in components[component] and component != "verdict" else {}
        Path("r.yaml").write_text(json.dumps({"version": 1, "judges": judges, "reward": reward}))
        Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        code = main(["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", *flags])
        out = Path("out.jsonl")
        lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
        return code, lines, capsys.readouterr().err

    return run


def test_a_right_choice_that_is_none_of_the_choices_is_a_bad_row(score):
    bad = [ROW | {"answer": answer} for answer in ("", "Z", [], {}, 7)]
    code, lines, told = score([ROW, *bad])
    assert (code, lines) == (2, [])
    assert "rows.jsonl:2: choice (choice/accuracy): the right choice is '', not one of A, B" in told
    assert "5 bad rows" in told


BROKEN = {
    "rubric": [{"rubric": "no rubric"}, {"rubric": {}}, {"rubric": []}, {"rubric": {"1": ""}}],
    "math": [{"answer": answer} for answer in ("", "   ", [], {}, [[]], "$$", "#### ", "\\boxed{}", 10**4200)],
    "verdict": [{"gold": ""}, {"gold": "  "}, {"gold": []}],
    "preference": [{"reference": " "}, {"reference": ["a"]}, {"reference": True}],
}


@pytest.mark.parametrize("component", BROKEN)
def test_what_a_reward_compares_with_or_shows_a_judge_is_checked_first(score, component):
    code, lines, told = score([{**ROW, **fields} for fields in BROKEN[component]], component=component)
    assert (code, lines) == (2, [])
    assert f"{len(BROKEN[component])} bad rows" in told


def test_rows_go_on_without_it_or_with_it_mended(score):
    rows = [ROW | {"id": "a"}, ROW | {"id": "b", "answer": ""}]
    assert score(rows)[0] == 2
    code, lines, _ = score(rows, "--skip-bad")
    assert (code, [line["id"] for line in lines]) == (0, ["a"])
    Path("out.jsonl").unlink()
    code, lines, _ = score([ROW | {"id": "a"}, ROW | {"id": "b"}])
    assert (code, [line["id"] for line in lines]) == (0, ["a", "b"])
