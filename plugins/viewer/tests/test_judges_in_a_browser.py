"""Judges in the page, in a real browser: what they were asked and replied."""

import json

import pytest
from helpers.judged_rows import RECIPE, judged_row
from rewardlab_viewer.page.page import write_report

pytestmark = pytest.mark.slow

ANSWERS = [
    "أحسب طويلا ثم أجد أن الجواب هو \\boxed{7}",
    "<img src=x onerror=alert(1)> \\boxed{8}",
    "Ich finde \u202e\\boxed{9}",
]


@pytest.fixture
def scored(judge_server, main, tmp_path):
    """Rows that a judge behind HTTP compared and scored: (the page, the server)."""
    (tmp_path / "rows.jsonl").write_text(json.dumps(judged_row(6, completions=ANSWERS)) + "\n")
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        (tmp_path / "recipe.yaml").write_text(RECIPE % server.url)
        assert main("score", "recipe.yaml", "rows.jsonl", "-o", "out.jsonl")[0] == 0
        write_report([tmp_path / "out.jsonl"], tmp_path / "out.html", rows=str(tmp_path / "rows.jsonl"))
    return tmp_path / "out.html", server


def test_beside_a_verdict_stand_the_question_and_the_reply_word_by_word(visit, scored, judge_server):
    page, server = scored
    tab = visit(page, "#group=0")
    sent = {request["messages"][-1]["content"]: judge_server.vote(request) for request in server.requests}
    seen = {}
    for completion in tab.locator(".completion").all():
        completion.locator("text=What judges were asked, and replied").click()
        completion.locator(".question").first.wait_for()
        assert completion.locator(".question").count() == 2 * 2 + 1, "twice with each other one, and once alone"
        for one in completion.locator(".question").all():
            one.locator("summary").click()
            texts = one.locator(".say").all_text_contents()
            seen[texts[-2]] = texts[-1]
    assert seen == {question.replace("\u202e", "\\u202e"): reply for question, reply in sent.items()}
    first = tab.locator(".completion").first
    heads = first.locator(".question h4").all_inner_texts()
    assert {"preference: completion 0 as A, 1 as B, verdict A (judge main)", "rubric (judge main)"} <= set(heads)


def test_where_there_is_no_reply_the_page_says_why(visit, scored, tmp_path):
    page, _ = scored
    for kept in (tmp_path / "out.jsonl.state" / "judges").glob("*.answers.jsonl"):
        kept.unlink()
    write_report([tmp_path / "out.jsonl"], page, rows=str(tmp_path / "rows.jsonl"))
    tab = visit(page, "#group=0")
    tab.locator(".completion").first.locator("text=What judges were asked, and replied").click()
    tab.wait_for_selector("text=preference: out.jsonl keeps no replies of judge 'main'")
    assert tab.locator(".question").count() == 0
