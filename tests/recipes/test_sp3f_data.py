"""The data stages of the recipes against scripted servers: what stands in the rows that come out."""

import json
import re

import pytest
from helpers.paths import RECIPES

FENCED = re.compile(r"=== BEGIN \w+ (\w+) ===\n(.*?)\n=== END \w+ \1 ===", re.DOTALL)
ENGLISH = "Ann has {} red apples and buys {} green ones. How many apples does she have now?"
GERMAN = "Anna hat {} rote Äpfel und kauft {} grüne dazu. Wie viele Äpfel hat sie jetzt?"
SOLVED = "She has {0} apples and gets {1} more, which makes {0} + {1} = {2} of them."
GELOEST = "Sie hat {0} Äpfel und bekommt {1} dazu, das macht {0} + {1} = {2} Äpfel."
TRL = ("backend={use: trl}", "stages.1.kl={coef: 0.01, in: loss, estimator: k3}")  # needs no engine here
PROBLEMS = [(20 + n, 100 + n) for n in range(60)]


def rows_of(answer, recipe, stage, overrides, judge_server, main, monkeypatch, tmp_path, out):
    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        for variable in ("TEACHER_URL", "EXPERT_URL", "TRANSLATOR_URL"):
            monkeypatch.setenv(variable, server.url)
        monkeypatch.setenv("TEACHER_API_KEY", "local")
        code, _, err = main("run", RECIPES / recipe, "--stage", str(stage), *overrides, "--run-dir", "run")
    assert code == 0, err
    return [json.loads(line) for line in (tmp_path / out).read_text().splitlines()]


@pytest.mark.parametrize("stage", [0, 1])
@pytest.mark.slow
def test_sp3f_keeps_no_altered_problem_of_any_kind(stage, judge_server, main, monkeypatch, tmp_path, write, caplog):
    """24 problems with another number, 12 with the answer, 12 that ask nothing, and 12 honest ones."""
    rows = [
        {"problem": ENGLISH.format(a, b), "solution": SOLVED.format(a, b, a + b), "answer": str(a + b)}
        for a, b in PROBLEMS
    ]
    write("mine.jsonl", rows)

    def answer(request):
        text = request["messages"][-1]["content"]
        found = FENCED.search(text)
        if found[2] == "Good morning.":  # the question before the run
            return "Guten Morgen."
        a, b, *_ = map(int, re.findall(r"\d+", found[2]))
        if "How many" not in found[2]:
            return rf"{GELOEST.format(a, b, a + b)} Die Antwort lautet also \boxed{{{a + b}}}."
        honest = GERMAN.format(a, b)
        kind = PROBLEMS.index((a, b))
        if kind < 24:
            return honest.replace(str(a), str(a + 1)) if kind % 2 else honest.replace(str(b), str(b)[::-1] + "7")
        asks_nothing = f"Anna hat {a} rote Äpfel und kauft {b} grüne dazu. Dann hat sie viele Äpfel."
        return {2: f"{honest} Antwort: {a + b}", 3: asks_nothing}.get(kind // 12, honest)

    place = f"stages.{stage}.dataset"
    fields = "fields: {prompt: problem, reference: solution}"
    source = f"{place}.from={{use: data/jsonl, with: {{path: mine.jsonl}}, {fields}}}"
    overrides = [source, f"{place}.with.languages=[de]", f"{place}.with.max_dropped=1", "judges.teacher.cassette=null"]
    out = ["sp3f-sft.jsonl", "sp3f-rl.jsonl"][stage]
    made = rows_of(
        answer, "sp3f.yaml", stage, [*overrides, "backend={use: trl}"], judge_server, main, monkeypatch, tmp_path, out
    )
    assert sorted(row["prompt"][-1]["content"] for row in made) == sorted(GERMAN.format(*p) for p in PROBLEMS[48:])
    assert all(row["altered"] == [] for row in made)
    assert "48 of 60 rows dropped: 12 de: every candidate lacks the question; " in caplog.text
    assert "24 de: every candidate loses or changes a number; 12 de: every candidate states the answer" in caplog.text


def test_a_refusal_in_good_form_is_no_reference_of_pb_rlsvr(judge_server, main, monkeypatch, tmp_path, write, caplog):
    questions = [f"What is the sum of the numbers {a} and {b} in this town?" for a, b in PROBLEMS[:6]]
    write("questions.jsonl", [{"question": question} for question in questions])

    def answer(request):
        text = request["messages"][-1]["content"]
        if (found := FENCED.search(text)) is not None:
            a, b = map(int, re.findall(r"\d+", found[2])[:2])
            told = "I'm sorry, but I cannot help with that." if (a, b) == PROBLEMS[0] else str(a + b)
            return f"<think>It asks for {a} and {b}.</think><answer>{told}</answer>"
        a, b = (re.findall(r"\d+", text) or ["1", "2"])[:2]
        return f"¿Cuál es la suma de los números {a} y {b} en esta ciudad?"

    place = "stages.0.dataset.from"
    source = f"{place}.from={{use: data/jsonl, with: {{path: questions.jsonl}}, fields: {{prompt: question}}}}"
    made = rows_of(
        *(answer, "pb_rlsvr.yaml", 0, [source, f"{place}.with.languages=[es]", *TRL]),
        *(judge_server, main, monkeypatch, tmp_path, "pb-rlsvr.jsonl"),
    )
    assert [row["reference_answer"] for row in made] == [str(a + b) for a, b in PROBLEMS[1:6]]
    assert "data/expert: 1 of 6 rows dropped: 1: a refusal" in caplog.text
