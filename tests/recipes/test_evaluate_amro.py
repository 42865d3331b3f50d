"""AMRO's evaluation, whole, on small rows: two judges averaged, tables by task, language and tier, and people."""

import json
import re

import pytest
from helpers.paths import RECIPES

RECIPE = RECIPES / "evaluate_amro.yaml"
FORM = re.compile(r"\{.*\}", re.S)
LANGUAGES = ("de", "ko", "bo")
"""one of each tier"""
ROWS = [
    {"prompt": f"Chat {n} {language}: how are you?", "language": language, "task": "Chat"}
    for language in LANGUAGES
    for n in range(2)
] + [{"prompt": f"NLI {language}: does it follow?", "language": language, "task": "NLI"} for language in LANGUAGES]


def policy(request):
    return "<think>I think of it.</think><answer>It is as you say.</answer>"


def kind(request):
    return critique(request, "1")


def stern(request):
    """A critic that finds nothing good in answers about Tibetan questions."""
    asked = request["messages"][-1]["content"]
    return critique(request, "0" if " bo:" in asked else "1")


def critique(request, score):
    """What a critic says that gives one score to all."""
    asked = request["messages"][-1]["content"]
    if "CHECKLISTS" not in asked:
        return json.dumps({"explanation": "So.", "score": score == "1"})
    form = json.loads(FORM.search(asked.partition("### OUTPUT FORMAT")[2])[0])
    entry = {"evidence": ["It is as you say" if "Chat" in asked else "It is invented"], "why": "So.", "score": score}
    return json.dumps({part: dict.fromkeys(dimensions, entry) for part, dimensions in form.items()})


@pytest.fixture
def evaluated(judge_server, main, write, tmp_path, monkeypatch):
    """The command line in a folder with the benchmark, while policy and judges are served."""
    folder = tmp_path / "amro-benchmark"
    folder.mkdir()
    (folder / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    servers = [judge_server.Serving(judge_server.JudgeServer(answer=answer)) for answer in (policy, kind, stern)]
    with servers[0] as served, servers[1] as gpt, servers[2] as gemini:
        for name, server in (("POLICY", served), ("GPT", gpt), ("GEMINI", gemini)):
            monkeypatch.setenv(f"{name}_URL", server.url)
        for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
            monkeypatch.setenv(name, "any")
        yield main


def averages(main, *arguments):
    code, out, err = main("tables", "policy=run", "--measure", "total", "--json", *arguments)
    assert code == 0, err
    return {(one["task"], one["language"]): one["mean"] for one in json.loads(out)["averages"]}


@pytest.mark.slow
def test_two_judges_are_averaged_and_tables_have_tasks_languages_and_tiers(evaluated):
    code, _, err = evaluated("eval", RECIPE, "--run-dir", "run")
    assert code == 0, err
    found = averages(evaluated)
    assert found["Chat", "de"] == found["NLI", "ko"] == 1
    assert found["NLI", "bo"] == pytest.approx(0.5)
    tiers = averages(evaluated, "--merge", "@sgcm_tiers")
    assert (tiers["Chat", "high"], tiers["Chat", "medium"], tiers["Chat", "low"]) == (1, 1, pytest.approx(0.5))


@pytest.mark.slow
def test_accuracy_in_safety_has_two_columns(evaluated, tmp_path):
    """Table 3."""
    rows = [
        {"prompt": f"{subtask} {language}: is that so?", "language": language, "subtask": subtask}
        for subtask in ("Jailbreaking", "Hallucination")
        for language in LANGUAGES[1 if subtask == "Jailbreaking" else 0 :]
    ]
    (tmp_path / "amro-safety").mkdir()
    (tmp_path / "amro-safety" / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = evaluated("eval", RECIPE.with_stem("evaluate_amro_safety"), "--run-dir", "run")
    assert code == 0, err
    found = averages(evaluated, "--task", "subtask")
    assert found["Jailbreaking", None] == pytest.approx((1 + 0.5) / 2)
    assert found["Hallucination", None] == pytest.approx((1 + 1 + 0.5) / 3)


@pytest.mark.slow
def test_each_judge_is_measured_against_people_by_dimension(evaluated, write):
    names = ["Instruction Comprehension and Coverage", "Factual Accuracy"]
    people = [
        {
            **row,
            "id": f"r{n}",
            "response": policy(None),
            "dimensions": dict.fromkeys(names, 0 if "bo" in row["language"] else 1),
        }
        for n, row in enumerate(ROWS)
        if row["task"] == "Chat"
    ]
    write("people.jsonl", people)
    code, out, err = evaluated("judge", RECIPE, "people.jsonl", "--json")
    assert code == 0, err
    found = json.loads(out)["components"]
    assert found["gemini"]["dimensions"]["all"]["kappa"] == 1
    assert found["gpt"]["dimensions"]["all"]["agreement"] == pytest.approx(2 / 3)
    assert found["gpt"]["dimensions"]["language"]["bo"]["lead"] == 1
    assert set(found["gpt"]["dimensions"]["dimension"]) == set(names)
    assert found["gpt"]["quotations"]["unsupported"] == 0
