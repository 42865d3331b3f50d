"""A followed run: what comes is told once, what goes is said, and nobody else may ask."""

import base64
import gzip
import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from helpers.synthetic_run import GROUP, write_run
from rewardlab.errors import UserError
from rewardlab.files import FileLock
from rewardlab_http import VisitorRules, bound_socket
from rewardlab_viewer.follow import live_page
from rewardlab_viewer.follow.live_page import LivePage
from rewardlab_viewer.follow.server import FollowServer


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(live_page, "MIN_PAUSE_S", 0.0)
    monkeypatch.setattr(live_page, "MAX_SHARE", 1e9)


class Growing:
    """A run of 30 groups, of which a number are there."""

    def __init__(self, folder, groups):
        self.folder = write_run(folder, 30 * GROUP)
        self.ledger = folder / "ledger.jsonl"
        self.lines = self.ledger.read_bytes().splitlines(keepends=True)
        (folder / "state.json").write_text('{"attempt": 0, "done": []}')
        self.ledger.write_bytes(b"".join(self.lines[: groups * GROUP]))

    def append(self, data):
        with open(self.ledger, "ab") as file:
            file.write(data)

    def groups(self, first, last):
        return b"".join(self.lines[first * GROUP : last * GROUP])


@pytest.fixture
def run(tmp_path):
    return Growing(tmp_path / "run", 20)


class Browser:
    """What the page's script knows: it asks, and takes what is new."""

    def __init__(self, page):
        self.page, self.tag, self.have, self.problems, self.notes = page, None, (), [], []

    def ask(self):
        """Ask once; return how many groups came, None if nothing is new."""
        self.tag, text = self.page.document(self.have, self.tag)
        if text is None:
            return None
        self.text = text
        [self.run] = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])["runs"]
        self.problems = [*self.problems[: self.run["from"]], *self.run["problems"]]
        self.have = (f"{self.run['edition']}.{len(self.problems)}",)
        self.notes = re.findall(r'<p class="note"><b>Note</b> (.*?)</p>', text)
        return len(self.run["problems"])

    def completions(self):
        return int(re.search(r"<dt>completions</dt><dd>(\d+)</dd>", self.text)[1])


def test_a_run_that_has_scored_nothing_yet_is_not_said_to_have_no_judge(tmp_path):
    with closing(LivePage([Growing(tmp_path / "run", 0).folder])) as page:
        browser = Browser(page)
        browser.ask()
    assert browser.text.count("Nothing is scored yet.") == 3
    assert "No judge was asked" not in browser.text
    assert '<section id="curves"' in browser.text, "they come"


@pytest.fixture
def asker(run):
    with closing(LivePage([run.folder])) as page:
        browser = Browser(page)
        assert browser.ask() == 20
        yield browser


def test_each_question_is_answered_with_what_is_new(run, asker):
    assert asker.ask() is None
    run.append(run.groups(20, 23))
    assert asker.ask() == 2, "the last one may lack lines still"
    assert asker.ask() == 1
    assert asker.ask() is None
    assert (asker.completions(), len(asker.problems)) == (23 * GROUP, 23)
    assert "<script>" not in asker.text
    other = Browser(asker.page)
    assert other.ask() == 23, "each asker has a place of its own"
    run.append(run.groups(23, 24))
    for _ in range(2):
        other.ask(), asker.ask()
    assert other.problems == asker.problems
    assert len(other.problems) == 24


def test_a_group_that_waits_is_not_expected_yet_and_one_that_is_gone_is(run):
    log = run.folder / "logs" / "0-rl.jsonl"
    steps = [json.loads(line)["step"] for line in run.lines[: 16 * GROUP : GROUP]]
    rows = ["".join(f'{{"attempt": 0, "step": {step}, "loss": 0.5}}\n' for step in steps[:to]) for to in (14, 16)]
    run.ledger.write_bytes(run.groups(0, 3) + run.groups(4, 14))
    log.write_text(rows[0])
    with closing(LivePage([run.folder])) as page:
        browser, found = Browser(page), []
        for new in (b"", run.groups(14, 16), b""):
            run.append(new)
            log.write_text(rows[1] if new else log.read_text())
            browser.ask()
            [training] = page._runs[0]._view.coverage
            found.append((training.expected, training.unknown))
    assert found == [(14 * GROUP, GROUP), (15 * GROUP, GROUP), (16 * GROUP, GROUP)]


def test_half_a_line_and_half_a_group_wait_for_their_rest(run, asker):
    new = run.groups(20, 22)
    for first, last in ((0, 100), (100, 5000), (5000, 9000)):
        run.append(new[first:last])
        asker.ask()
    run.append(new[9000:])
    while asker.ask() is not None:
        pass
    assert asker.completions() == 22 * GROUP
    [number] = [one["number"] for one in asker.run["chunks"]] or [len(asker.page._runs[0]._view.chunks.chunks) - 1]
    packed = asker.page.texts(0, asker.run["edition"], number)
    [*_, last] = json.loads(gzip.decompress(base64.b64decode(packed)))
    expected = [json.loads(line)["completion"] for line in run.lines[21 * GROUP : 22 * GROUP]]
    assert [row["text"] for row in last["rows"]] == expected
    assert asker.page.texts(0, "other", 0) is asker.page.texts(0, asker.run["edition"], 99) is None


def test_a_resume_that_goes_back_makes_what_was_told_void(run, asker):
    edition = asker.run["edition"]
    again = [json.loads(line) | {"attempt": 1} for line in run.lines[15 * GROUP : 18 * GROUP]]
    run.append("".join(json.dumps(line) + "\n" for line in again).encode())
    while asker.ask() is not None:
        pass
    assert asker.run["edition"] != edition
    before = [json.loads(line)["step"] for line in run.lines[: 20 * GROUP]].index(again[0]["step"])
    assert asker.completions() == before + 3 * GROUP
    assert any("behind which a resume went back" in note for note in asker.notes)


def test_a_new_component_makes_the_numbers_void_and_not_the_reading(run, asker):
    edition = asker.run["edition"]
    lines = [json.loads(line) for line in run.lines[20 * GROUP : 21 * GROUP]]
    for line in lines:
        line["components"]["late"] = {"value": 1.0, "error": None}
    run.append("".join(json.dumps(line) + "\n" for line in lines).encode())
    while asker.ask() is not None:
        pass
    assert asker.run["edition"] != edition
    assert (asker.run["from"], len(asker.problems), "late" in asker.run["components"]) == (0, 21, True)


def test_a_run_that_goes_on_dies_is_resumed_and_ends_is_said_to(run, asker):
    assert asker.run["state"] == "stopped"
    assert asker.notes == ["Not all stages are done: the run was stopped or killed, or was asked for some of them."]
    lock = FileLock(run.folder / "lock")
    run.append(run.lines[20 * GROUP][:50])
    asker.ask()
    assert (asker.run["state"], asker.notes) == ("goes on", [])
    lock.close()  # as a kill does, in the middle of a line
    asker.ask()
    assert (asker.run["state"], len(asker.notes)) == ("stopped", 2)
    assert asker.run["at"] >= run.ledger.stat().st_mtime_ns // 10**6 - 1
    lock = FileLock(run.folder / "lock")
    with open(run.ledger, "r+b") as file:  # as a resume cuts it
        file.truncate(len(run.groups(0, 20)))
    run.append(run.groups(20, 30))
    (run.folder / "state.json").write_text('{"attempt": 1, "done": [0]}')
    asker.ask()
    lock.close()
    asker.ask()
    assert (asker.run["state"], asker.notes, asker.completions()) == ("ended", [], 30 * GROUP)


def test_a_browser_finds_its_labels_of_a_run_again_from_the_first_group_to_a_longer_training(tmp_path):
    young = Growing(tmp_path / "young", 1)
    manifest = {"seed": 0, "recipe_sha256": "a", "commands": ["rewardlab run a.yaml"]}
    (young.folder / "manifest.json").write_text(json.dumps(manifest))
    with closing(LivePage([young.folder])) as page:
        Browser(page).ask()
        first = Browser(page)
        first.ask()
        young.append(young.groups(1, 30))
        longer = {"recipe_sha256": "b", "earlier_recipes": ["a"], "commands": [*manifest["commands"], "again"]}
        (young.folder / "manifest.json").write_text(json.dumps(manifest | longer))
        (young.folder / "recipe.resolved.yaml").write_text("version: 1\nname: longer\n")
        reloaded = Browser(page)
        reloaded.ask()
        assert (len(first.problems), len(reloaded.problems)) == (1, 30)
        assert reloaded.run["identity"] == first.run["identity"]
    shutil.copytree(young.folder, tmp_path / "again")
    with closing(LivePage([tmp_path / "again"])) as page:
        other = Browser(page)
        other.ask()
    assert other.run["identity"] != first.run["identity"], "a run of the same recipe has labels of its own"


def test_a_folder_that_vanishes_is_said_and_another_in_its_place_is_read_anew(run, asker, tmp_path):
    shutil.rmtree(run.folder)
    asker.ask()
    assert asker.run["state"] == "gone"
    assert "there is no such folder; what was there before is shown" in asker.run["trouble"]
    assert asker.completions() == 20 * GROUP
    assert asker.ask() is None
    write_run(run.folder, 5 * GROUP, seed=1)
    asker.ask()
    asker.ask()
    assert (asker.run["state"], asker.completions(), asker.run["trouble"]) == ("ended", 5 * GROUP, "")


def test_a_ledger_that_was_replaced_is_read_anew(run, asker):
    other = write_run(run.folder.parent / "other", 30 * GROUP, seed=1)
    (other / "ledger.jsonl").replace(run.ledger)
    while asker.ask() is not None:
        pass
    first = json.loads(run.ledger.read_bytes().splitlines()[0])
    assert asker.completions() == 30 * GROUP
    packed = asker.page.texts(0, asker.run["edition"], 0)
    assert json.loads(gzip.decompress(base64.b64decode(packed)))[0]["rows"][0]["text"] == first["completion"]


def test_a_line_without_an_end_is_read_once_and_not_kept(run, asker, monkeypatch):
    monkeypatch.setattr("rewardlab.data.jsonl.MAX_BYTES", 1 << 20)
    with open(run.ledger, "r+b") as file:
        file.truncate(len(run.groups(0, 20)) + (1 << 26))
    asker.ask()
    growing = asker.page._runs[0]._run._growing._file
    assert (growing.torn, growing._read, growing._seen) == (True, len(run.groups(0, 20)), run.ledger.stat().st_size)
    run.append(b"\n" + run.groups(20, 21))
    while asker.ask() is not None:
        pass
    assert asker.completions() == 21 * GROUP
    assert "Left out: 1 line of the ledger that cannot be read." in asker.notes


@pytest.fixture
def ask(run):
    opened = []

    def start(**rules):
        listening = bound_socket("127.0.0.1", 0)
        server = FollowServer(LivePage([run.folder]), VisitorRules(**rules), listening)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        opened.append((server, thread))
        port = listening.getsockname()[1]

        def ask(path="/", method="GET", **headers):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers={"Host": f"127.0.0.1:{port}"} | named)
            answer = connection.getresponse()
            body = answer.read().decode()
            connection.close()
            return answer.status, body, answer.headers

        ask.port = port
        return ask

    yield start
    for server, thread in opened:
        server.shutdown()
        thread.join()
        server.server_close()
        server.page.close()


def test_nobody_else_may_ask_and_nothing_else_is_answered(ask, run):
    get = ask()
    status, page, headers = get()
    assert status == 200
    assert "connect-src &#39;self&#39;" in page
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers
    edition = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])["runs"][0]["edition"]
    assert get(If_None_Match=headers["ETag"])[:2] == (304, "")
    assert get(f"/texts-0-0?of={edition}")[0] == 200
    assert get("/", "HEAD")[:2] == (200, "")
    assert get(Host=f"localhost:{get.port}")[0] == 200
    assert get(Host=f"evil.example:{get.port}")[:2] == (
        421,
        f"the server is not called 'evil.example:{get.port}'; `--allow-host` adds a name\n",
    )
    assert get(Origin="https://evil.example")[0] == 403
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert get("/", method)[0] == 405
    for path in (
        "/../manifest.json",
        "/manifest.json",
        "/%2e%2e/manifest.json",
        "//etc/passwd",
        "/texts-0-0",
        "/texts-9-0",
        "/texts-0-0/../../ledger.jsonl",
        f"/texts-0-99?of={edition}",
        "/update/",
        f"/texts-00000-0?of={edition}",
    ):
        assert get(path)[:2] == (404, "there is no such part of the page\n"), path


def test_who_comes_from_elsewhere_brings_the_token_as_a_program_or_as_a_browser_does(ask, main, run, monkeypatch):
    get = ask(token="s3cret")
    assert get()[0] == 401
    assert get()[2]["WWW-Authenticate"].startswith("Basic ")
    assert get(Authorization="Bearer s3cret")[0] == 200
    assert get(Authorization="Basic " + base64.b64encode(b"me:s3cret").decode())[0] == 200
    for wrong in ("Basic x", "Basic " + base64.b64encode(b"s3cret").decode(), "Bearer ", "Digest s3cret"):
        assert get(Authorization=wrong)[0] == 401
    monkeypatch.delenv("REWARDLAB_TOKEN", raising=False)
    code, _, err = main("report", run.folder, "--follow", "--host", "0.0.0.0")
    assert code == 2
    assert "--host: others can reach 0.0.0.0, so requests need a token" in err


def test_what_cannot_be_followed_is_refused(main, run, tmp_path):
    code, _, err = main("report", run.folder, "--follow", "-o", tmp_path / "x.html")
    assert (code, err) == (2, "error: --follow: serves the page of a run and writes none; leave out --output\n")
    code, _, err = main("report", run.ledger, "--follow")
    assert (code, "is a file; only the folder of a run can be followed" in err) == (2, True)
    with pytest.raises(UserError, match="is not the folder of a run: there is no such folder"):
        LivePage([tmp_path / "nowhere"])


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_a_signal_and_ends_well(run, sent):
    command = [sys.executable, "-m", "rewardlab", "report", run.folder, "--follow"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        port = int(re.search(r"at http://127.0.0.1:(\d+); Ctrl-C ends it", process.stderr.readline())[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        process.send_signal(sent)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""
    assert not (run.folder / "report.html").exists()


def test_the_last_group_of_a_run_that_has_ended_is_there_at_once(asker, run):
    run.append(run.groups(20, 30))
    (run.folder / "state.json").write_text('{"attempt": 0, "done": [0]}')
    assert asker.ask() == 10
    assert asker.run["state"] == "ended"
