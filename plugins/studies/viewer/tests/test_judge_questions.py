"""What judges were asked, made again for the page: word by word what a server got, and what it replied."""

import gzip
import json
import re
from base64 import b64decode

import pytest
from helpers.judged_rows import QUESTIONS, RECIPE, as_run, judged_row
from rewardlab_viewer.page.page import write_report


@pytest.fixture
def scored(judge_server, main, tmp_path):
    """Score rows with a judge behind HTTP: `scored(rows)` is (the file, the rows, the server)."""
    server = judge_server.JudgeServer()

    def score(rows, recipe=RECIPE):
        (tmp_path / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
        (tmp_path / "recipe.yaml").write_text(recipe % server.url)
        code, _, err = main("score", "recipe.yaml", "rows.jsonl", "-o", "out.jsonl")
        assert code == 0, err
        return tmp_path / "out.jsonl", str(tmp_path / "rows.jsonl"), server

    with judge_server.Serving(server):
        yield score


def asked(out, rows=None):
    """(what the page's script knows of questions, and the questions of each group as [messages, reply, ...])"""
    write_report([out], out.with_suffix(".html"), rows=rows)
    page = out.with_suffix(".html").read_text(encoding="utf-8")
    told = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])["runs"][0]
    parts = re.findall(r'id="questions-\d+-\d+">([^<]*)<', page)
    groups = [group for part in parts for group in json.loads(gzip.decompress(b64decode(part)))]
    return told["questions"], [[whole(one, group["texts"]) for one in group["asked"]] for group in groups]


def whole(one, texts):
    said = [
        {"role": role, "content": "".join(texts[piece] if isinstance(piece, int) else piece for piece in pieces)}
        for role, pieces in one["question"]
    ]
    return one | {"question": said}


def by_question(requests):
    return sorted(json.dumps(request["messages"]) for request in requests)


def test_each_question_and_its_reply_is_word_by_word_what_the_server_got_and_said(scored, judge_server):
    out, rows, server = scored([judged_row(number) for number in range(4)])
    told, groups = asked(out, rows)
    assert told == {"components": ["preference", "rubric"], "chunks": [0], "why": {}}
    assert [len(group) for group in groups] == [QUESTIONS] * 4
    assert f'<th scope="row" dir="auto">main</th><td>{4 * QUESTIONS}</td>' in out.with_suffix(".html").read_text(
        "utf-8"
    )
    every = [one for group in groups for one in group]
    assert sorted(json.dumps(one["question"]) for one in every) == by_question(server.requests)
    replies = {json.dumps(request["messages"]): judge_server.vote(request) for request in server.requests}
    assert all(one["reply"] == replies[json.dumps(one["question"])] for one in every)


def test_a_question_stands_with_the_completions_that_it_is_about(scored):
    same = "Das ist ganz einfach, die Antwort ist \\boxed{5}"
    out, rows, _ = scored([judged_row(1, completions=[same, "Nach langem Rechnen finde ich \\boxed{2}", same])])
    _, [group] = asked(out, rows)
    assert [one["about"] for one in group if one["component"] == "preference"] == [[[1], [0, 2]], [[0, 2], [1]]]
    assert [one["about"] for one in group if one["component"] == "rubric"] == [[[0]], [[1]], [[2]]]
    for one in group[:2]:
        first, second = (one["question"][1]["content"].index(text) for text in (same, "Nach langem"))
        assert (first < second) == (one["about"][0] == [0, 2])


def test_texts_are_not_in_the_page_twice(scored):
    text = "Eine lange Antwort. " * 400
    out, rows, _ = scored([judged_row(1, completions=[text + "1", text + "2", text + "3"])])
    _, [group] = asked(out, rows)
    page = out.with_suffix(".html").read_text(encoding="utf-8")
    [part] = re.findall(r'id="questions-0-0">([^<]*)<', page)
    found = json.loads(gzip.decompress(b64decode(part)))[0]
    assert sum(len(piece) for one in found["asked"] for _, said in one["question"] for piece in map(str, said)) < 20_000
    assert sum(len(message["content"]) for one in group for message in one["question"]) > QUESTIONS * len(text)


def test_a_reply_that_could_not_be_read_is_shown(scored, judge_server, tmp_path):
    def odd(request):
        return "I cannot decide." if "RESPONSE A" in str(request["messages"]) else judge_server.vote(request)

    recipe = RECIPE.replace("privileged: answer", "privileged: answer, on_unparsable: half")
    with judge_server.Serving(judge_server.JudgeServer(answer=odd)) as server:
        out, rows, _ = scored([judged_row(1)], recipe.replace("%s", server.url + "%.0s"))
    _, [group] = asked(out, rows)
    assert [one["reply"] for one in group if one["component"] == "preference"] == ["I cannot decide."] * 6


def test_what_keeps_questions_from_being_shown_is_said(scored, monkeypatch):
    out, rows, _ = scored([judged_row(1)])
    kept = out.with_name("out.jsonl.state") / "judges"
    [file] = kept.glob("*.answers.jsonl")
    text = file.read_text()
    file.write_text("not a cassette\n")
    told, groups = asked(out, rows)
    assert groups == []
    assert "this is not a cassette" in told["why"]["preference"]
    file.unlink()
    assert asked(out, rows)[0]["why"] == dict.fromkeys(
        ("preference", "rubric"),
        "out.jsonl keeps no replies of judge 'main'; nor is it known whether its recipe named a cassette",
    )
    file.write_text(text[: text.index("\n", len(text) // 2) + 30])
    told, [group] = asked(out, rows)
    assert told["why"] == {}
    assert 0 < len(group) < QUESTIONS, "a torn file has what is whole"
    state = out.with_name("out.jsonl.state") / "state.json"
    state.write_text(state.read_text().replace("pairwise/win_rate", "gone/reward"))
    told, _ = asked(out, rows)
    assert "no plugin 'gone'" in told["why"][""]


def test_questions_of_a_panel_are_shown_though_a_judge_of_it_keeps_none(scored):
    """One that asks no server has no reply in words; each draw of the other is a question of its own."""
    recipe = RECIPE.replace("%s}}}", "%s}}, near: {use: pairwise/overlap}}")
    recipe = recipe.replace(
        "{judge: main, privileged: answer}}", "{judge: [main, near], privileged: answer}, repeats: 2}"
    )
    out, rows, server = scored([judged_row(1)], recipe)
    told, [group] = asked(out, rows)
    assert told["why"] == {}
    of_panel = [one["judge"] for one in group if one["component"] == "preference"]
    assert of_panel == ["main"] * 12
    assert sorted(json.dumps(one["question"]) for one in group) == by_question(server.requests)


def test_a_cassette_that_runs_share_is_not_copied_and_stays_as_it_is(scored, tmp_path):
    shared = tmp_path / "shared.jsonl"
    recipe = RECIPE.replace("judges: {main: {", f"judges: {{main: {{cassette: {{path: {shared}}}, ")
    scored([judged_row(number) for number in range(8)], recipe)
    (tmp_path / "out.jsonl").unlink()
    out, rows, server = scored([judged_row(2)], recipe)
    before = shared.read_bytes()
    assert len(before.splitlines()) == 8 * QUESTIONS == len(server.requests)
    run = as_run(out, rows, recipe % server.url, tmp_path / "run")
    _, groups = asked(run)
    assert [len(group) for group in groups] == [QUESTIONS]
    assert shared.read_bytes() == before
    shared.unlink()
    told, groups = asked(run)
    assert groups == []
    assert "there is no such cassette" in told["why"]["rubric"]
    assert not shared.exists()


def test_of_more_questions_than_fit_evenly_chosen_groups_have_theirs(scored, monkeypatch):
    monkeypatch.setattr("rewardlab_viewer.page.chunks.MAX_GROUPS", 1)
    out, rows, _ = scored([judged_row(number) for number in range(9)])
    told, groups = asked(out, rows)
    assert (told["chunks"], len(groups)) == (list(range(9)), 9)
    monkeypatch.setattr("rewardlab_viewer.page.page.MAX_PAGE_QUESTIONS", 7_000)
    told, groups = asked(out, rows)
    assert told["chunks"][-1] == 8
    assert 2 <= len(groups) == len(told["chunks"]) < 9
    assert max(b - a for a, b in zip(told["chunks"], told["chunks"][1:], strict=False)) < 9
