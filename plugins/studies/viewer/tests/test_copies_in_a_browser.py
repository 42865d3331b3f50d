"""What is copied from a page, put in its place: rows for `score` and `probe`, an example of a reward's laws."""

import json

import pytest
from rewardlab import Sample
from rewardlab.laws import RewardExample
from rewardlab.testing import check_reward
from rewardlab_viewer.page.page import write_report

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
dataset: {use: data/jsonl, with: {path: rows.jsonl}, fields: {answer: solution}}
reward:
  components: {accuracy: {use: math/accuracy}, boxed: {use: format/boxed}}
  correctness: accuracy
  total: accuracy + 0.5 * boxed
"""
ANSWERS = ['\\boxed{3} "it\'s" \\n', "\u202eالجواب \\boxed{4} 'a'\n\"b\"", "4", "I do not know."]


@pytest.fixture
def copied(visit, main, tmp_path):
    """Score a row, and copy its group from the page: `copied(label)`."""
    row = {"id": "sum's", "prompt": 'How much is "1" + 3?', "solution": "4", "language": "en", "completions": ANSWERS}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    code, _, err = main("score", "recipe.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert code == 0, err
    write_report([tmp_path / "out.jsonl"], tmp_path / "out.html", rows=str(tmp_path / "rows.jsonl"))
    tab = visit(tmp_path / "out.html", permissions=["clipboard-read", "clipboard-write"])

    def copy(label):
        tab.click(f"#group button:text-is('{label}')")
        tab.wait_for_selector("#group button:text-is('Copied')")
        return tab.evaluate("navigator.clipboard.readText()")

    return copy


def totals(path):
    return json.loads(path.read_text())["total"]


def test_a_copied_row_is_scored_alike(copied, main, tmp_path):
    (tmp_path / "copy.jsonl").write_text(copied("Copy as row") + "\n", encoding="utf-8")
    code, _, err = main("score", "recipe.yaml", "copy.jsonl", "-o", "again.jsonl")
    assert code == 0, err
    assert totals(tmp_path / "again.jsonl") == totals(tmp_path / "out.jsonl") == [0.5, 1.5, 0.0, 0.0]


@pytest.mark.nightly
def test_a_copied_probe_has_an_honest_completion(copied, main, tmp_path):
    (tmp_path / "copy.jsonl").write_text(copied("Copy as probe") + "\n", encoding="utf-8")
    code, out, err = main("probe", "recipe.yaml", "copy.jsonl", "--json")
    assert (code, err) == (0, ""), out
    assert json.loads(out)["rows"] == 1
    assert json.loads((tmp_path / "copy.jsonl").read_text(encoding="utf-8"))["honest"] == ANSWERS[1]


@pytest.mark.nightly
def test_a_copied_example_is_one_that_the_laws_are_tried_with(copied):
    example = eval(copied("Copy as law example"), {"RewardExample": RewardExample, "Sample": Sample})
    assert (example.good, example.bad) == ([ANSWERS[1]], [ANSWERS[0], *ANSWERS[2:]])
    check_reward("math/accuracy", good=example.good, bad=example.bad, sample=example.sample)
