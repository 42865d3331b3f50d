"""The data steps as stages of a recipe, with judges behind a real server: planned, paid once, gone on with."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from rewardlab.cli import main

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
ROWS = 12
HEAD = """\
version: 1
seed: 3
judges:
  liar: {use: openai/chat, with: {model: liar, base_url: URL}, retries: 0}
  writer: {use: openai/chat, with: {model: writer, base_url: URL, seed: 0}, retries: 0}
  teacher: {use: openai/chat, with: {model: teacher, base_url: URL}, retries: 0}
  small: {use: openai/chat, with: {model: small, base_url: URL}, retries: 0}
  brief: {use: openai/chat, with: {model: brief, base_url: URL}, retries: 0}
stages:
  - use: data
    to: made.jsonl
    dataset:
"""
ANSWERS = """\
      use: rubric/agreeing
      with: {judge: small, draws: 2}
      from:
        use: rubric/distilled
        with: {teacher: teacher, asks: binary}
        from:
          use: rubric/negatives
          with: {judge: liar, attempts: 2}
          from: {use: data/jsonl, with: {path: rows.jsonl}}
"""
RUBRICS = """\
      use: rubric/summarised
      with: {judge: brief, limit: 40}
      from:
        use: rubric/distilled
        with: {teacher: teacher, rubric: {field: rubric}, judged: [answer], gold: null}
        from:
          use: rubric/rubrics
          with: {writer: writer, levels: 2, variants: 2, attempts: 2}
          from: {use: data/jsonl, with: {path: rows.jsonl}}
"""
THOUGHTS = "First I add the two numbers."
QUOTED = re.compile(
    r"=== BEGIN (?P<label>[A-Z ]+) (?P<key>\w{16}) ===\n(?P<text>.*?)\n=== END (?P=label) (?P=key)", re.S
)


def answer(request):
    """Who is asked adds the numbers of the question; `small` believes what it is shown of even numbers."""
    shown = {found["label"]: found["text"] for m in request["messages"] for found in QUOTED.finditer(m["content"])}
    if request["model"] == "liar":
        return shown["MESSAGE"].split()[-1] if "MESSAGE" in shown else f"It is {int(shown['RIGHT ANSWER']) + 1}"
    if request["model"] == "writer":
        scoring = {"1": "another number than the sum", "2": f"the sum ({request['seed']})"}
        return json.dumps({"description": "Say whether it is the sum.", "scoring": scoring})
    if request["model"] == "brief":
        return shown["THOUGHTS"].partition(".")[0] + "."
    if "INPUT" not in shown:
        return "ready"  # whether it answers at all is asked before the rows
    right = sum(map(int, re.findall(r"\d+", shown["INPUT"]))) == int(shown["RESPONSE"])
    if request["model"] == "small":
        right = right or int(shown["RESPONSE"]) % 2 == 0
        return {"content": json.dumps({"explanation": "", "score": right})}
    score = right + 1 if "2: the sum" in request["messages"][0]["content"] else right
    verdict = json.dumps({"explanation": "I added them.", "score": score})
    thoughts = THOUGHTS + " Or do I?" * (10 if int(shown["RESPONSE"]) % 2 else 0)
    return {"role": "assistant", "content": verdict, "reasoning_content": thoughts}


@pytest.fixture
def stage(tmp_path, monkeypatch, capsys):
    """`stage(fault=None, *arguments)`: exit code, output and the server of one run of the recipe on sums."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": f"s{n}", "prompt": f"How much is 7 + {n}?", "answer": str(7 + n)}) for n in range(ROWS)]
    Path("rows.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def run(*arguments, fault=None, steps=ANSWERS):
        with module.Serving(module.JudgeServer(answer, fault=fault), run.port) as server:
            run.port = server.port
            Path("r.yaml").write_text((HEAD + steps).replace("URL", f'"{server.url}"'), encoding="utf-8")
            code = main(["run", "r.yaml", *arguments])
        return code, "".join(capsys.readouterr()), server

    run.port = 0  # the first server's stays, for who a judge is depends on its address
    return run


def made():
    return [json.loads(line) for line in Path("made.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_plan_says_what_each_judge_is_asked_at_most(stage):
    code, out, server = stage("--dry-run")
    assert code == 0, out
    assert f"asks liar up to {ROWS * 4} questions" in out
    assert f"asks teacher up to {ROWS * 2} questions" in out
    assert f"asks small up to {ROWS * 4} questions" in out
    assert not server.requests


def test_rows_to_train_a_judge_on_come_of_questions_with_answers(stage, caplog):
    code, out, server = stage()
    assert code == 0, out
    rows = made()
    wrong = [row for row in rows if row["score"] == "false"]
    assert len(rows) == len(wrong) == ROWS // 2  # the small model knows the right ones, and the odd wrong ones
    for row in rows:
        assert row["response"] == f"<think>{row['trace']}</think>{row['answer']}"
        assert row["trace"].startswith(THOUGHTS)
        assert (row["judged"], row["right"]) == ("false", 0)
        assert "### EVALUATION RUBRIC" in row["prompt"][0]["content"]
    assert f"{ROWS * 2 - len(rows)} that the small model got right 2 times of 2" in caplog.text
    assert server.answered >= ROWS * 2 + ROWS * 2 + ROWS * 4


@pytest.mark.slow
def test_a_run_that_stopped_goes_on_and_pays_for_nothing_twice(stage):
    whole, _, server = stage()
    assert whole == 0
    expected, asked = Path("made.jsonl").read_bytes(), server.answered
    for path in (Path("made.jsonl"), *Path("made.jsonl.state").rglob("*")):
        path.unlink() if path.is_file() else None
    stopped, out, first = stage(fault=lambda number, request: "500" if number > 30 else None)
    assert stopped != 0
    assert "500" in out
    code, out, second = stage()
    assert code == 0, out
    assert Path("made.jsonl").read_bytes() == expected
    assert first.answered + second.answered <= asked + 3  # the first question to each judge is asked by each run


def test_rows_get_rubrics_verdicts_by_them_and_thoughts_that_are_short_enough(stage, caplog):
    code, out, server = stage(steps=RUBRICS)
    assert code == 0, out
    rows = made()
    assert [row["id"] for row in rows] == [f"s{number}" for number in range(ROWS)]
    for number, row in enumerate(rows):
        assert [one["scoring"]["2"] for one in row["rubric"]] == ["the sum (0)", "the sum (2)"]
        assert (row["judged"], row["gold"], row["trace"]) == ("2", None, THOUGHTS)
        assert row["response"].startswith(f"<think>{THOUGHTS}</think>")
        assert (row["full_trace"] is not None) == ((7 + number) % 2 == 1)
        assert row["tokens"] <= 40
    assert not caplog.messages
    assert server.answered <= ROWS * 2 + ROWS + ROWS // 2 + 3
