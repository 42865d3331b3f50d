"""Critiques from a real server: components of one recipe share a joint reply."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from rewardlab.cli import main
from rewardlab_checklist.checklist_choice import TaskChecklists
from rewardlab_checklist.checklist_file import find_checklist

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
QUOTED = re.compile(
    r"=== BEGIN (?P<label>[A-Z ]+) (?P<key>\w{16}) ===\n(?P<text>.*?)\n=== END (?P=label) (?P=key)", re.S
)
RECIPE = """\
version: 1
judges:
  critic: {use: openai/chat, with: {model: critic, base_url: URL}, retries: 0}
reward:
  components:
    task: {use: checklist/task, with: {judge: critic}}
    reasoning: {use: checklist/reasoning, with: {judge: critic}}
    answer: {use: checklist/answer, with: {judge: critic}}
  total: 0.1 * task + 0.3 * reasoning + 0.4 * answer
"""


def critic(request):
    """What a critic says that finds everything fine, of the parts that it is shown."""
    shown = {found["label"]: found["text"] for m in request["messages"] for found in QUOTED.finditer(m["content"])}
    said = {}
    for part, made in (("reasoning", find_checklist("reasoning")), ("answer", TaskChecklists().of("NLI", None))):
        if text := shown.get(part.upper()):
            entry = {"evidence": [text.split()[0]], "why": "It stands there.", "score": "1"}
            said[part] = {one.name: "NLI" if one.recognises else entry for one in made.dimensions}
    return json.dumps(said)


@pytest.fixture
def server():
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.Serving(module.JudgeServer(answer=critic), 0) as server:
        yield server


def test_three_components_take_one_question_a_completion(server, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RECIPE.replace("URL", server.url))
    texts = ["<think>All birds, so this one.</think><answer>Entailment: all birds fly.</answer>", "Entailment."]
    row = {"id": "a", "prompt": "All birds fly. Does this one?", "task": "NLI", "completions": texts}
    Path("rows.jsonl").write_text(json.dumps(row) + "\n")
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "scores.jsonl"]) == 0, capsys.readouterr().err
    scored = json.loads(Path("scores.jsonl").read_text())
    assert scored["total"] == pytest.approx([0.8, 0.4])
    assert len(server.paid) == 2
    assert scored["components"]["answer"]["info"][0]["unsmoothed"] == 1.0


@pytest.mark.parametrize("lost", [{"why": "It is fine."}, {"score": "8 of 10"}])
def test_a_critique_without_a_score_is_asked_for_again_on_resume(server, tmp_path, monkeypatch, capsys, lost):
    """The other parts of the same reply can be read, and their scores stay."""
    monkeypatch.chdir(tmp_path)
    missing = "on_missing: zero_advantage, max_missing: 1}"
    recipe = RECIPE.replace("{judge: critic}}", f"{{judge: critic}}, {missing}")
    Path("r.yaml").write_text(recipe.replace("URL", server.url))
    row = {"id": "a", "prompt": "Does it fly?", "task": "NLI", "completions": ["<think>All do.</think>Entailment."]}
    Path("rows.jsonl").write_text(json.dumps(row) + "\n")

    def incomplete(request):
        said = json.loads(critic(request))
        said["answer"][next(iter(said["answer"]))] = lost
        return json.dumps(said)

    server.answer = incomplete
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "scores.jsonl"]) == 0, capsys.readouterr().err
    found = json.loads(Path("scores.jsonl").read_text())["components"]
    assert [found[name]["value"] for name in ("task", "reasoning", "answer")] == [[1.0], [1.0], [None]]
    server.answer = critic
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "scores.jsonl", "--resume"]) == 0, capsys.readouterr().err
    assert json.loads(Path("scores.jsonl").read_text())["components"]["answer"]["value"] == [1.0]
    assert server.answered == 2


def test_a_row_of_a_task_without_a_checklist_is_named_with_its_place(server, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RECIPE.replace("URL", server.url))
    row = {"id": "a", "prompt": "?", "task": "poetry", "completions": ["<think>a</think>b"]}
    Path("rows.jsonl").write_text(json.dumps(row) + "\n")
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "scores.jsonl"]) != 0
    told = capsys.readouterr().err
    assert "rows.jsonl:1" in told
    assert "no checklist for the task 'poetry'" in told
    assert not server.paid
