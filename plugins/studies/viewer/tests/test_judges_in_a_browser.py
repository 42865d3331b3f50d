"""Judges in the page, in a real browser: what they were asked and replied."""

import json

import pytest
from helpers.accessible import OPEN_ALL, violations
from helpers.judged_rows import RECIPE, judged_row
from helpers.synthetic_run import GROUP, write_run
from rewardlab_viewer.page.page import write_report

pytestmark = pytest.mark.slow

ANSWERS = [
    "أحسب طويلا ثم أجد أن الجواب هو \\boxed{7}",
    "<img src=x onerror=alert(1)> \\boxed{8}",
    "Ich finde \u202e\\boxed{9}",
]

FILL_STORE = """() => {
    for (let size = 1 << 22, name = 0; size; name++) {
        try { localStorage.setItem(String(name), "x".repeat(size)); } catch { size >>= 1; }
    }
}"""


@pytest.fixture
def scored(judge_server, main, tmp_path):
    """Rows that a judge behind HTTP compared and scored: (the page, the server)."""
    (tmp_path / "rows.jsonl").write_text(json.dumps(judged_row(6, completions=ANSWERS)) + "\n")
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        (tmp_path / "recipe.yaml").write_text(RECIPE % server.url)
        assert main("score", "recipe.yaml", "rows.jsonl", "-o", "out.jsonl")[0] == 0
        write_report([tmp_path / "out.jsonl"], tmp_path / "out.html", rows=str(tmp_path / "rows.jsonl"))
        yield tmp_path / "out.html", server


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
    tab.click("text=Who won against whom: preference")
    assert tab.locator("#group table tbody tr").all_inner_texts() == [
        "completion 0\t\twon\twon",
        "completion 1\tlost\t\tlost",
        "completion 2\tlost\twon\t",
    ]


def test_verdicts_stand_with_their_completions_if_a_line_is_damaged(visit, tmp_path):
    def compared(lines):
        verdicts = [{"1": "A", "2": "B", "3": "B"}, {}, {"1": "B", "3": "A"}, {"0": "A"}]
        for line, found in zip(lines, verdicts, strict=False):
            line["components"]["preference"]["info"]["verdicts"] = found
        return [lines[0], *lines[2:4]]

    write_report([write_run(tmp_path / "run", 80, lines_of=compared)], tmp_path / "run.html")
    tab = visit(tmp_path / "run.html", "#group=0")
    tab.click("text=Who won against whom: preference")
    assert tab.locator("#group table tbody tr").all_inner_texts() == [
        "completion 0\t\tlost\tlost",
        "completion 1\t–\t\twon",
        "completion 2\twon\t–\t",
    ]
    tab.check("text=label pairs")
    tab.check("text=show scores and verdicts")
    tab.select_option("[data-label=component]", "preference")
    assert tab.inner_text(".labelling .verdict") == "preference finds 2 better."


def test_where_there_is_no_reply_the_page_says_why(visit, scored, tmp_path):
    page, _ = scored
    for kept in (tmp_path / "out.jsonl.state" / "judges").glob("*.answers.jsonl"):
        kept.unlink()
    write_report([tmp_path / "out.jsonl"], page, rows=str(tmp_path / "rows.jsonl"))
    tab = visit(page, "#group=0")
    tab.locator(".completion").first.locator("text=What judges were asked, and replied").click()
    tab.wait_for_selector("text=preference: out.jsonl keeps no replies of judge 'main'")
    assert tab.locator(".question").count() == 0


def press(tab, *keys):
    tab.locator("#samples-head").click()
    for key in keys:
        tab.keyboard.press(key)


def downloaded(tab, path):
    with tab.expect_download() as download:
        tab.click("text=Download labels")
    download.value.save_as(path)
    return download.value.suggested_filename, [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_labelling_begins_with_the_pairs_that_a_licence_waits_for(visit, tmp_path):
    """Two pairs of two groups, and one whose texts are not here."""
    run = write_run(tmp_path / "run", 80)
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]
    groups = [lines[at : at + GROUP] for at in range(0, len(lines), GROUP)]
    pairs = [(groups[3], 0, 2), (groups[7], 3, 1)]
    rows = [
        {"prompt": g[0]["prompt"], "completions": [{"text": g[at]["completion"]} for at in two]} for g, *two in pairs
    ]
    rows.append({"prompt": "elsewhere", "completions": ["a", "b"]})
    (tmp_path / "next.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    written = write_report([run], tmp_path / "run.html", to_label=tmp_path / "next.jsonl")
    assert "1 of 3 pairs to label are not here." in written.notes
    tab = visit(tmp_path / "run.html")
    tab.check("text=label pairs")
    tab.wait_for_selector(f"text=2 of {len(groups)} groups")
    shown = tab.locator(".labelling .say").all_inner_texts()
    assert [text[:9] for text in shown] == [groups[3][at]["completion"][:9] for at in (0, 2)]
    press(tab, "1")
    assert "1 of 1 pairs of this group are marked" in tab.inner_text(".labelling")


def test_labels_are_rows_for_judge_and_the_report_holds_the_judge_against_them(visit, scored, main, tmp_path):
    page, _ = scored
    tab = visit(page, "#group=0", accept_downloads=True)
    tab.check("text=label pairs")
    assert tab.locator(".completion .scores").first.is_hidden(), "scores would tell people what to say"
    assert [text[:5] for text in tab.locator(".labelling .say").all_inner_texts()] == [ANSWERS[0][:5], ANSWERS[1][:5]]
    press(tab, "1", "u", "2", "s")
    assert tab.inner_text("#label-state") == "1 mark. Kept in this browser."
    tab.reload()
    tab.wait_for_selector("html[data-ready]")
    tab.check("text=label pairs")
    assert tab.inner_text("#label-state") == "1 mark. Kept in this browser."
    tab.fill("[data-label=by]", "Ann <b>")
    tab.check("text=show scores and verdicts")
    assert tab.inner_text(".labelling .verdict") == "preference finds 1 better.", "of the pair that was skipped"
    press(tab, "r", "w")
    assert "3 of 3 pairs of this group are marked" in tab.inner_text(".labelling")
    name, rows = downloaded(tab, tmp_path / "labels.jsonl")
    assert name == "labels-out.jsonl-Ann_b_.jsonl"
    marked = [(ANSWERS.index(row["chosen"]), ANSWERS.index(row["rejected"])) for row in rows]
    assert marked == [(1, 0), (2, 1), (2, 0)]
    assert {row["labelled"]["by"] for row in rows} == {"Ann <b>"}
    code, out, err = main("judge", "recipe.yaml", "labels.jsonl", "--json")
    assert code == 0, err
    measured = json.loads(out)["components"]
    assert (measured["preference"]["all"]["pairs"], measured["preference"]["all"]["accuracy"]) == (3, 1 / 3)
    code, out, err = main(
        "report", "out.jsonl", "--rows", "rows.jsonl", "--labels", "labels.jsonl", "-o", "people.html"
    )
    assert (code, err) == (0, "")
    shown = visit(tmp_path / "people.html")
    table = [row.split("\t") for row in shown.inner_text("#judges table >> nth=-2").splitlines()[1:]]
    assert table[0][:4] == ["preference", "Ann <b>", "3", "0"]
    assert table[0][4] == "0.333"
    assert shown.locator("#judges details >> text=Where they disagree").is_visible()
    shown.locator("#judges details a").first.click()
    shown.wait_for_selector("#group .completion")
    assert shown.inner_text("#group h3 bdi") == "p6"


@pytest.mark.parametrize("look", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_everybody_can_label_and_read_what_judges_said(visit, scored, look, tmp_path):
    page, _ = scored
    for width in (1280, 420):
        tab = visit(page, "#group=0", color_scheme=look, viewport={"width": width, "height": 900}, bypass_csp=True)
        tab.check("text=label pairs")
        assert violations(tab) == []
        tab.check("text=show scores and verdicts")
        tab.evaluate(OPEN_ALL)
        tab.wait_for_selector(".question")
        tab.evaluate(OPEN_ALL)
        assert violations(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing but tables scrolls sideways"
        said = tab.locator(".labelling .say").first
        assert said.evaluate("node => getComputedStyle(node).direction") == "rtl"


def test_a_browser_that_keeps_nothing_says_so_and_the_download_works(visit, scored, tmp_path):
    page, _ = scored
    tab = visit(page, "#group=0", accept_downloads=True)
    tab.evaluate(FILL_STORE)
    tab.check("text=label pairs")
    press(tab, "1")
    assert "gone when the page is closed" in tab.inner_text("#label-state")
    _, [row] = downloaded(tab, tmp_path / "labels.jsonl")
    assert (row["chosen"], row["rejected"], row["labelled"]["by"]) == (*ANSWERS[:2], "nobody")


def test_marks_of_texts_that_have_changed_are_left_out(visit, scored, tmp_path):
    page, _ = scored
    tab = visit(page, "#group=0", accept_downloads=True)
    tab.check("text=label pairs")
    press(tab, "1", "1")
    name = tab.evaluate("Object.keys(localStorage).find((one) => one.startsWith('rewardlab labels'))")
    spoil = "(name) => localStorage.setItem(name, localStorage.getItem(name).replace(/\\[0,0,1,\\d+/, '[0,0,1,7'))"
    tab.evaluate(spoil, name)
    tab.evaluate("(name) => localStorage.setItem('rewardlab labels x', '{\"marks\": [1, [2]]}')", name)
    tab.reload()
    tab.wait_for_selector("html[data-ready]")
    tab.check("text=label pairs")
    _, rows = downloaded(tab, tmp_path / "labels.jsonl")
    assert len(rows) == 1
    assert tab.inner_text("#label-state").startswith("1 marks are about texts that this page does not have")
    for damaged in ("null", "[]", '{"marks": 5}', "no JSON", '{"marks": [["<img src=x onerror=alert(1)>"]], "by": 7}'):
        tab.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, damaged])
        tab.reload()
        tab.wait_for_selector("html[data-ready]")
        tab.check("text=label pairs")
        assert tab.inner_text("#label-state") == "0 marks. Kept in this browser."
    press(tab, "1")
    assert tab.inner_text("#label-state") == "1 mark. Kept in this browser."
