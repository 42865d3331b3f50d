"""The webhook of alarms: real servers on this machine that take, refuse, redirect, hang and vanish."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from rewardlab.recipe.loading import load
from rewardlab_training.alarms import webhook
from rewardlab_training.alarms.alarm_watch import AlarmWatch
from rewardlab_training.check import check_recipe

RECIPE = {
    "version": 1,
    "model": {"use": "tiny"},
    "dataset": {"use": "toy/counting"},
    "reward": {"components": {"letters": {"use": "toy/letters"}}, "total": "letters"},
    "stages": [{"use": "rl", "algorithm": "grpo", "steps": 9}],
    "backend": {"use": "trl"},
}
GAVE_UP = "warning: the alarms' webhook did not accept one: "


@pytest.fixture
def server():
    """Make a server that answers with (status, headers): (its URL, the bodies that it got)."""
    running = []

    def make(status, headers=(), wait=None):
        bodies = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                if wait is not None:
                    wait.wait()
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *_):
                pass

        running.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=running[-1].serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{running[-1].server_port}/secret", bodies

    yield make
    for one in running:
        one.shutdown()
        one.server_close()


@pytest.fixture
def alarm(toy, tmp_path, monkeypatch):
    """Let an alarm go off in a run with this webhook; return what it says once all is sent or given up."""
    monkeypatch.setattr(webhook, "PAUSE_S", 0.0)

    def run(url, values=(70.0,) * 3, until=webhook.wait_for_webhooks):
        said = []
        plan = check_recipe(load(RECIPE | {"alarms": {"webhook": url}}), purpose="run")
        watch = AlarmWatch(plan, tmp_path, 0, 0, said.append)
        for step, value in enumerate([0.1] * 5 + list(values), 1):
            watch.take(step, {"kl": value})
        until()
        return said

    return run


def test_gets_one_post_with_a_text_and_the_alarm(server, alarm, tmp_path):
    url, bodies = server(200)
    [said] = alarm(url)
    [body] = bodies
    assert body["text"] == f"{tmp_path.name}: {said.removeprefix('warning: ')}"
    assert [body[key] for key in ("alarm", "stage", "step", "component", "run")] == [
        "divergence", "0-rl", 8, None, tmp_path.name
    ]  # fmt: skip


@pytest.mark.parametrize(("status", "tries"), [(500, 3), (429, 3), (404, 1)])
def test_a_refusal_is_said_without_the_url_and_ends_nothing(server, alarm, status, tries):
    url, bodies = server(status)
    said = alarm(url)
    assert len(bodies) == tries
    assert said[1:] == [f"{GAVE_UP}it answers with status {status}; alarms.jsonl has it"]


def test_a_redirect_is_not_followed(server, alarm):
    there, bodies = server(200)
    url, _ = server(302, [("Location", there.replace("127.0.0.1", "localhost"))])
    assert alarm(url)[1:] == [f"{GAVE_UP}it answers with status 302; alarms.jsonl has it"]
    assert bodies == []


def test_one_that_hangs_holds_nobody_up_and_is_given_up(server, alarm, monkeypatch):
    monkeypatch.setattr(webhook, "TIMEOUT_S", 0.1)
    over = threading.Event()
    url, bodies = server(200, wait=over)
    try:
        assert len(alarm(url, until=lambda: None)) == 1  # the steps are done, and nothing has answered
        assert not over.is_set()
        webhook.wait_for_webhooks()
        assert len(bodies) == 3
        monkeypatch.setattr(webhook, "TIMEOUT_S", 60)
        monkeypatch.setattr(webhook, "MAX_WAIT_S", 0.1)
        said = alarm(url, until=webhook.wait_for_webhooks)
        assert said[1:] == [f"{GAVE_UP}it does not answer; alarms.jsonl has it"]
    finally:
        over.set()


def test_one_that_is_not_there_is_said_once(server, alarm):
    assert alarm("http://127.0.0.1:9/x")[1:] == [f"{GAVE_UP}it cannot be reached; alarms.jsonl has it"]
