"""recipes/if_rlvr.yaml on hand-written rows in five languages: what it scores, what wins, and what it says of rows."""

import json
import shutil

from helpers.paths import RECIPES, ROOT, TESTS

RECIPE = RECIPES / "if_rlvr.yaml"
ROWS = TESTS / "data" / "probe" / "if_rlvr.jsonl"


def rows():
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]


def test_no_degenerate_completion_wins(main):
    code, out, err = main("probe", RECIPE, ROWS, "--json")
    found = json.loads(out)
    assert (code, found["rows"], found["dropped"]) == (0, 6, 0), err
    completions = found["slices"]["all"]["completions"]
    assert found["slices"]["all"]["honest"]["total"] == 1.0
    assert [family for family, tried in completions.items() if tried.get("wins")] == []
    for family in ("empty", "noop", "injected_verdict", "bare_guess", "random_words"):
        assert completions[family]["difference"] < -0.5, family


def test_the_page_about_the_probe_has_a_row_for_it():
    page = (ROOT / "docs" / "probe.md").read_text(encoding="utf-8")
    assert "[if_rlvr](../recipes/if_rlvr.yaml)" in page


def test_scores_say_which_instructions_are_followed(main, tmp_path):
    table = [row | {"completions": [row["honest"], "No, that is all"]} for row in rows()]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table), encoding="utf-8")
    code, _, err = main("score", RECIPE, "rows.jsonl", "-o", "scored.jsonl")
    assert code == 0, err
    scored = [json.loads(line) for line in (tmp_path / "scored.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [group["total"][0] for group in scored] == [1.0] * 6
    second = scored[0]["components"]["following"]["info"][1]["instructions"]
    assert [entry["followed"] for entry in second] == [True, False, False]


def test_rows_with_a_wrong_instruction_are_named_before_anything_is_scored(main, tmp_path):
    table = rows()
    table[1]["kwargs"][1] = {"keyword": "oven"}
    table[3]["instruction_id_list"][0] = "length_constraint:number_sentences"
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table), encoding="utf-8")
    code, _, err = main("check", RECIPE, "dataset={use: data/jsonl, with: {path: rows.jsonl}, holdout: 0.2}")
    assert code == 2
    for words in (
        "kwargs[1]: keywords:existence has no argument 'keyword'; did you mean 'keywords'?",
        "instruction_id_list[0]: no instruction 'length_constraint:number_sentences'; did you mean "
        "'length_constraints:number_sentences'?",
    ):
        assert words in err
    assert "(first rows.jsonl:2)" in err
    assert "(first rows.jsonl:4)" in err


def test_a_reward_model_beside_it_is_a_matter_of_the_command_line(main, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    shutil.copy(ROWS, tmp_path)
    liked = f"reward.components.liked={{use: reward_model/score, with: {{model: {folder}}}}}"
    code, out, err = main("check", RECIPE, liked, "reward.total=following * clip(liked, 0, 1)")
    assert code == 0, err
    assert "is in [0, 1]" in out
