"""docs/python.md and its notebook are true: the notebook's cells give what it shows, the page's code runs."""

import json
import re
import shutil
import textwrap

import pytest
import rewardlab
from helpers.paths import ROOT, TESTS

PAGE = ROOT / "docs" / "python.md"
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
RECIPE = """
version: 1
reward:
  components: {accuracy: {use: math/accuracy, workers: 1}, format: {use: format/boxed}}
  total: accuracy
"""
JUDGED = """
version: 1
judges: {main: {use: pairwise/overlap}}
reward: {components: {wins: {use: pairwise/win_rate, with: {judge: main, privileged: reference}}}, total: wins}
"""
HONEST = {"prompt": "1+1?", "answer": "2", "honest": "One and one make \\boxed{2}.", "language": "en"}
PAIR = {"prompt": "1+1?", "reference": "It is two.", "chosen": "It is two.", "rejected": "It is a dog."}


def shown(cell):
    """What a reader sees below a cell, as one text: a busy kernel sends what it prints in several pieces."""
    found = [output.get("text") or output.get("data", {}).get("text/plain") for output in cell.get("outputs", [])]
    return "".join(found)


def section(title):
    """The blocks of Python under a heading of the page."""
    text = PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [textwrap.dedent(body) for body in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


@pytest.mark.slow
def test_the_notebook_gives_what_it_shows():
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    before = [shown(cell) for cell in notebook.cells]
    assert sum(map(bool, before)) >= 7
    NotebookClient(notebook, timeout=120).execute()
    assert [shown(cell) for cell in notebook.cells] == before


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    (tmp_path / "judged.yaml").write_text(JUDGED)
    (tmp_path / "honest.jsonl").write_text(json.dumps(HONEST) + "\n")
    (tmp_path / "pairs.jsonl").write_text(json.dumps(PAIR) + "\n")
    (tmp_path / "questions.jsonl").write_text(json.dumps(HONEST | {"id": "q", "task": "sums"}) + "\n")
    shutil.copy(next((TESTS / "data" / "lm_eval").glob("samples_sums_*")), tmp_path / "samples_sums_de_1.jsonl")
    for name, right in (("sft", 0.0), ("rl", 1.0)):
        (tmp_path / f"{name}.jsonl").write_text(
            json.dumps({"id": "q", **PAIR, "completions": [f"{name} of two."]}) + "\n"
        )
        correct = {"value": [right], "error": [None], "info": [{}]}
        scores = {"id": "q", "total": [right], "shaped": [right], "components": {"correct": correct}}
        (tmp_path / f"{name}-scores.jsonl").write_text(json.dumps(scores) + "\n")
    return tmp_path


@pytest.mark.slow
def test_the_pages_code_scores_and_calls_the_commands(folder, monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(
        "rewardlab_training.commands.run.RunJob.load", lambda recipe, overrides, **_: ran.append(overrides)
    )
    names = {}
    for title in ("Score", "What a group says"):
        for block in section(title):
            exec(block, names)
    assert names["groups"][0].totals == [2.0, 0.0]
    (commands,) = section("The commands")
    calls, _, run = commands.partition("result = rewardlab.run(")
    exec(calls, names)
    assert names["found"].ok
    with pytest.raises(AttributeError):  # the job that was never made
        exec(f"import rewardlab\nresult = rewardlab.run({run}")
    assert ran == [("stages.1.steps=50",)]
    out = capsys.readouterr().out
    assert "accuracy 0.0" in out
    assert "B  recipe.yaml reward.total=accuracy" in out


def test_the_table_names_what_there_is():
    named = re.findall(r"`(?:await |async for group in )?reward\.(\w+)\(", PAGE.read_text(encoding="utf-8"))
    assert len(set(named)) >= 8
    assert [name for name in named if not hasattr(rewardlab.RecipeReward, name)] == []
