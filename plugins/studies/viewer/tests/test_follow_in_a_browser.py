"""A followed run in a real browser: it grows under the reader's eyes, and nobody loses their place."""

import json
import threading
from contextlib import contextmanager

import pytest
from helpers.judged_rows import RECIPE, as_run, judged_row
from helpers.synthetic_run import GROUP, write_run
from rewardlab.files import FileLock
from rewardlab_http import VisitorRules, bound_socket
from rewardlab_viewer.follow import live_page
from rewardlab_viewer.follow.live_page import LivePage
from rewardlab_viewer.follow.server import FollowServer

pytestmark = pytest.mark.slow

GROUPS, ROW = 200, 56
HOSTILE = "</script><script>window.ran = true</script><img src=x onerror='window.ran = true'>"


class Growing:
    """A run of 200 groups that is trained before the eyes of a browser."""

    def __init__(self, folder, groups):
        self.folder = write_run(folder, GROUPS * GROUP, texts=[HOSTILE] * GROUPS)
        self.lines = (folder / "ledger.jsonl").read_bytes().splitlines(keepends=True)
        (folder / "state.json").write_text('{"attempt": 0, "done": []}')
        (folder / "ledger.jsonl").write_bytes(b"")
        self.there, self.lock = 0, FileLock(folder / "lock")
        self.grow(groups)

    def grow(self, groups, extra=b""):
        lines = self.lines[self.there * GROUP : (self.there + groups) * GROUP]
        with open(self.folder / "ledger.jsonl", "ab") as file:
            file.write(b"".join(lines) + extra)
        self.there += groups


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(live_page, "MIN_PAUSE_S", 0.0)
    run = Growing(tmp_path / "a-run", 100)
    yield run
    run.lock.close()


@contextmanager
def served(folders, port=0):
    listening = bound_socket("127.0.0.1", port)
    server = FollowServer(LivePage(folders), VisitorRules(), listening)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        server.page.close()


@pytest.fixture
def visit(open_tab):
    """Open a page of a server."""
    return lambda url, hash="", **options: open_tab(url, url, hash, **options)


def wait_for(tab, text, node="found"):
    tab.wait_for_function(
        "([node, text]) => document.getElementById(node).textContent.includes(text)", arg=[node, text]
    )


def scroll(tab, node, top=None):
    """Scroll a part of the page, or return how far it is scrolled."""
    if top is None:
        return tab.evaluate("(node) => document.getElementById(node).scrollTop", node)
    return tab.evaluate("([node, top]) => { document.getElementById(node).scrollTop = top }", [node, top])


def first_step(tab):
    """The step at the left edge of the first chart."""
    tab.locator("figure.chart .u-over").first.hover(position={"x": 1, "y": 20})
    return int(tab.locator("figure.chart .u-legend .u-value").first.inner_text())


def last_summary(tab):
    return tab.locator("figure.chart figcaption span").first.inner_text()


def test_curves_tables_and_samples_grow_and_the_reader_stays_in_place(visit, run):
    with served([run.folder]) as url:
        tab = visit(url, "#group=40")
        wait_for(tab, "goes on, last written", "following")
        before, summary = tab.inner_text("#group"), last_summary(tab)
        tab.click("text=Everything that the engine logged")
        tab.click("#fields details:nth-of-type(2) summary")
        heads = tab.locator("#fields table").first.locator("th")
        heads.filter(has_text="accuracy").locator("button").click()
        over = tab.locator("figure.chart .u-over").first
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        tab.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 50)
        tab.mouse.down()
        tab.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 50)
        tab.mouse.up()
        zoomed = first_step(tab)
        tab.locator("figure.chart .u-series").nth(1).click()  # hides the line
        scroll(tab, "groups", 30 * ROW + 7)
        scroll(tab, "group", 55)
        at = tab.evaluate("scrollY")
        figure = tab.evaluate_handle("document.querySelector('figure.chart')")
        run.grow(30)
        wait_for(tab, "130 of 130 groups")
        assert tab.evaluate("scrollY") == at > 0
        assert scroll(tab, "groups") == 30 * ROW + 7
        assert scroll(tab, "group") == 55
        assert tab.inner_text("#group") == before
        assert tab.evaluate("(it) => it === document.querySelector('figure.chart')", figure)
        assert last_summary(tab) != summary
        assert first_step(tab) == zoomed > 5
        assert "u-off" in tab.locator("figure.chart .u-series").nth(1).get_attribute("class")
        assert tab.locator("details[data-log][open] figure.chart").count() > 1
        assert tab.evaluate("document.querySelectorAll('#fields details')[1].open")
        assert heads.filter(has_text="accuracy").get_attribute("aria-sort") == "descending"
        assert f"{130 * GROUP:,}" in tab.inner_text("#overview .tiles")
        assert f"{130 * GROUP:,}" in tab.inner_text("#coverage table >> nth=0")
        scroll(tab, "groups", 200 * ROW)
        tab.locator(".item").last.click()
        wait_for(tab, HOSTILE[:20], "group")
        assert tab.locator("#group .completion").count() == GROUP, "texts that came later are asked for"
        assert tab.evaluate("window.ran") is None


def names(tab):
    """The names of the groups in sight of the list, from its top."""
    top = tab.locator("#groups").bounding_box()["y"]
    boxes = [(one.bounding_box()["y"], one.inner_text()) for one in tab.locator(".item").all()]
    return [text for y, text in sorted(boxes) if y >= top - 1]


@pytest.mark.nightly
def test_filters_stay_and_newest_first_shows_what_comes(visit, run):
    with served([run.folder]) as url:
        tab = visit(url, viewport={"width": 1280, "height": 420})
        tab.select_option("[data-filter=order]", "last")
        newest = names(tab)[0]
        run.grow(5)
        wait_for(tab, "105 of 105 groups")
        assert names(tab)[0] != newest, "who looks at the top of the list sees what comes"
        assert names(tab)[5] == newest
        tab.select_option("#filters label:has-text('language') select", "am")
        wait_for(tab, "11 of 105 groups")
        scroll(tab, "groups", 3 * ROW)
        in_sight = names(tab)[:3]
        assert scroll(tab, "groups") == 3 * ROW
        run.grow(20)
        wait_for(tab, "13 of 125 groups")
        assert names(tab)[:3] == in_sight, "and who reads further down goes on reading"
        tab.fill("#search", "no such text")
        wait_for(tab, "0 of 125")
        run.grow(20)
        wait_for(tab, "0 of 125 groups; 145 groups now: search again")
        assert tab.input_value("#search") == "no such text"
        tab.fill("#search", "")
        wait_for(tab, "15 of 145 groups")


def test_a_run_that_is_killed_resumed_and_ends_and_a_server_that_is_gone(visit, open_tab, run):
    with served([run.folder]) as url:
        tab = visit(url)
        wait_for(tab, "goes on", "following")
        run.grow(1, extra=b'{"version": 2, "att')
        run.lock.close()
        wait_for(tab, "was stopped or killed, last written", "following")
        wait_for(tab, "ends in the middle of a line", "overview")
        wait_for(tab, "101 of 101")
        ledger = run.folder / "ledger.jsonl"
        content = ledger.read_bytes()
        ledger.write_bytes(content[: content.rindex(b"\n") + 1])
        run.lock = FileLock(run.folder / "lock")
        wait_for(tab, "goes on", "following")
        run.grow(GROUPS - run.there)
        (run.folder / "state.json").write_text('{"attempt": 1, "done": [0]}')
        wait_for(tab, "has ended", "following")
        wait_for(tab, f"{GROUPS} of {GROUPS}")
        port = int(url.rstrip("/").rpartition(":")[2])
    open_tab.gone = True
    wait_for(tab, "no answer from the server since", "following")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with served([run.folder], port):
        wait_for(tab, "has ended", "following")
        open_tab.gone = False


@pytest.mark.nightly
def test_two_readers_of_two_runs(visit, run, tmp_path):
    other = Growing(tmp_path / "other", 50)
    with served([run.folder, other.folder]) as url:
        one, two = visit(url), visit(url, "#group=3&run=1")
        wait_for(one, "other goes on", "following")
        other.grow(10)
        wait_for(two, "60 of 60")
        one.select_option("[data-filter=run]", "1")
        wait_for(one, "60 of 60")
        assert two.locator("#group .beside > div").count() == 2
    other.lock.close()


def test_what_a_judge_was_asked_is_made_when_somebody_opens_it(visit, judge_server, main, tmp_path):
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(judged_row(number)) + "\n" for number in range(3)))
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        (tmp_path / "recipe.yaml").write_text(RECIPE % server.url)
        assert main("score", "recipe.yaml", "rows.jsonl", "-o", "out.jsonl")[0] == 0
    recipe = (tmp_path / "recipe.yaml").read_text()
    folder = as_run(tmp_path / "out.jsonl", str(tmp_path / "rows.jsonl"), recipe, tmp_path / "run")
    (folder / "judges").rename(tmp_path / "kept")
    with served([folder]) as url:
        tab = visit(url, "#group=1")
        first = tab.locator(".completion").first
        first.locator("text=What judges were asked, and replied").click()
        first.locator("text=preference: run keeps no replies of judge 'main'").wait_for()
        (tmp_path / "kept").rename(folder / "judges")
        tab.click(".item >> nth=2")
        tab.wait_for_selector("#group h3:has-text('p2')")
        first.locator("text=What judges were asked, and replied").click()
        first.locator(".question").first.wait_for()
        assert first.locator(".question").count() == 2 * 2 + 1, "as in a page that is written"
        sent = {request["messages"][-1]["content"]: judge_server.vote(request) for request in server.requests}
        for one in first.locator(".question").all():
            one.locator("summary").click()
            question, reply = one.locator(".say").all_text_contents()[-2:]
            assert sent[question] == reply
