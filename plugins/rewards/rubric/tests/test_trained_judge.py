"""A trained judge is asked as the rows were that it was trained on: by the file that lies beside the model."""

import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest
from rewardlab.cli import main

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
TEACHERS = """\
version: 1
model: {use: tiny, hidden_size: 16, heads: 2, intermediate_size: 32}
judges:
  teacher: {use: openai/chat, with: {model: teacher, base_url: URL, max_tokens: 77}}
stages:
  - use: data
    to: pairs.jsonl
    dataset:
      use: rubric/distilled
      with: {teacher: teacher, asks: pairwise, layout: mr3, ties: true}
      from: {use: data/jsonl, with: {path: pairs_source.jsonl}}
  - use: data
    to: singles.jsonl
    dataset:
      use: rubric/distilled
      with: {teacher: teacher, asks: pointwise, layout: mr3, rubric: own.yaml, template: own.txt}
      from: {use: data/jsonl, with: {path: singles_source.jsonl}}
  - use: data
    to: all.jsonl
    dataset:
      use: data/mix
      with: {parts: {a: {path: pairs.jsonl, share: 1}, b: {path: singles.jsonl, share: 1}}, until: each_read}
  - {use: sft, dataset: {use: data/jsonl, with: {path: all.jsonl}}, steps: 1, batch_size: 2}
backend: {use: trl, device: cpu}
"""
JUDGES = """\
version: 1
judges:
  judge: {use: openai/chat, with: {model: judge, base_url: URL}}
reward:
  components:
    pairwise: {use: rubric/pairwise, with: {judge: judge, trained: copied}}
    pointwise: {use: rubric/pointwise, with: {judge: judge, trained: copied}}
    binary: {use: rubric/binary, with: {judge: judge, trained: copied}}
  total: pairwise + pointwise + binary
"""
RUBRIC = "- {scoring: {1: poor, 2: fair, 3: good}, description: How good it is}\n- {1: bad, 2: so so, 3: fine}\n"
TEMPLATE = "Rules: $rubric\nForm: $format\n---\n$input\n$response\nMind the key $key."


def answer(request):
    text = str(request["messages"])
    score = "Assistant A" if "Assistant A:" in text else "3" if "3:" in text else "true"
    return f'<think>I looked.</think>{{"explanation": "so", "score": "{score}"}}'


@pytest.fixture
def rewardlab(tmp_path, monkeypatch, capsys):
    """`rewardlab(recipe, command, *arguments)`: exit code, output and the bodies that a judge's server got."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    Path("own.yaml").write_text(RUBRIC)
    Path("own.txt").write_text(TEMPLATE)

    def run(recipe, command, *arguments):
        with module.Serving(module.JudgeServer(answer)) as server:
            Path("r.yaml").write_text(recipe.replace("URL", f'"{server.url}"'))
            code = main([command, "r.yaml", *arguments])
        return code, "".join(capsys.readouterr()), server.requests

    return run


def write(name, *rows):
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.slow  # loads trl
def test_the_server_gets_the_prompt_of_the_rows_but_for_their_content(rewardlab):
    row = {"prompt": "Say hello.", "score": None}
    write("pairs_source.jsonl", {"id": "x", **row, "response_1": "Hello!", "response_2": "No."})
    write("singles_source.jsonl", *({"id": name, **row, "response": "Hello!"} for name in "xyz"))
    code, out, _ = rewardlab(TEACHERS, "run", "--run-dir", "run")
    assert code == 0, out
    (pair,) = map(json.loads, Path("pairs.jsonl").read_text().splitlines())
    singles = map(json.loads, Path("singles.jsonl").read_text().splitlines())
    shutil.copytree("run/models/3-sft", "copied")
    for made in ("own.yaml", "own.txt", "run"):
        shutil.move(made, f"away-{made}")

    write("rows.jsonl", {"id": "x", "prompt": "Say hello.", "completions": ["Hello!", "No."]})
    code, out, bodies = rewardlab(JUDGES, "score", "rows.jsonl", "-o", "scored.jsonl")
    assert code == 0, out
    asked = [[dict(message) for message in body["messages"]] for body in bodies]
    assert {body.get("max_tokens") for body in bodies if "Say hello." in str(body)} == {77}
    (single,) = (row["prompt"] for row in singles if row["id"] == "x")
    assert single in asked  # the same wording of the rubric and all else
    (same,) = (one for one in asked if pair["prompt"][1] == one[1])
    ties, trained_on = re.compile(r'\n(Tie|Both Bad): .*|, "(Tie|Both Bad)"'), pair["prompt"][0]["content"]
    assert ties.search(trained_on)
    assert same[0]["content"] == ties.sub("", trained_on)  # of pairs two levels are asked
    assert not any(ties.search(str(one)) for one in asked)
    binary = [one for one in asked if "true: " in one[0]["content"]]
    assert {len(one) for one in binary} == {2}, "rows of other rewards have taught it their layout"


def test_a_recipe_that_contradicts_the_rows_is_refused(rewardlab):
    """Each by a line that says where, what, and what to do."""
    way = {"use": "rubric/pointwise", "layout": "mr3", "strategy": "eng-eng", "levels": ["1", "2"], "max_tokens": 9}
    way |= {"rubric": [{"scoring": {"1": "bad", "2": "good"}}], "template": TEMPLATE}
    folder = Path("copied")

    def told(recipe=JUDGES, ways=(way,), text=None):
        folder.mkdir(exist_ok=True)
        whole = json.dumps({"version": 1, "ways": ways})
        (folder / "asked.json").write_text(whole if text is None else text(whole))
        code, out, _ = rewardlab(recipe, "check")
        assert code == 2, out
        return out

    place = "reward.components.pointwise.with"
    for given, says in {
        "layout: r3": "layout is r3, and copied was trained on mr3; leave it out",
        "strategy: tgt-eng": "strategy is tgt-eng, and copied was trained on eng-eng; leave it out",
        "max_tokens: 5": "max_tokens is 5, and copied was trained on 9; leave it out",
        "template: own.txt": "template is not the one of the rows that copied was trained on",
        "rubric: {1: a, 2: b, 3: c}": "rubric has the levels 1, 2, 3, and copied was trained on 1, 2",
    }.items():
        Path("own.txt").write_text(TEMPLATE + " Or another.")
        one = JUDGES.replace("rubric/pointwise, with: {", f"rubric/pointwise, with: {{{given}, ")
        assert f"{place}: {says}" in told(one), given
    assert "copied was trained on rows that differ in layout; say which" in told(ways=[way, {**way, "layout": "r3"}])
    other = {**way, "rubric": [{"scoring": {"1": "worse", "2": "better"}}]}
    assert "copied was trained on rows that differ in rubric; say which" in told(ways=[way, other])
    assert "is not a whole file of version 1; copy it anew" in told(text=lambda whole: whole[: len(whole) // 2])
    assert "is not a whole file of version 1; copy it anew" in told(text=lambda whole: whole.replace("1", "2", 1))
    assert "asked.json of copied: layout: " in told(ways=[{**way, "layout": "r4"}])
    assert "is of no judge by rubric" in told(ways=[{"use": "other/judge"}])
    (folder / "asked.json").unlink()
    code, out, _ = rewardlab(JUDGES, "check")
    assert code == 2
    assert "copied has no asked.json" in out
    assert "leave `trained` out" in out
    folder.rmdir()
    assert "there is no folder copied" in rewardlab(JUDGES, "check")[1]
