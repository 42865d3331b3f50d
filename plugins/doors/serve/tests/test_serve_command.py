"""`rewardlab serve` as a process: where it listens, what it refuses to start with, and how it ends."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import ExitStack

import pytest
from rewardlab_http import bound_socket

RECIPE = "{version: 1, reward: {components: {box: {use: format/boxed}}, total: box}}"


@pytest.mark.slow
@pytest.mark.parametrize(("stop", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_serves_until_a_signal_and_ends_well(write, tmp_path, stop, code):
    write("r.yaml", RECIPE)
    few_files = ["bash", "-c", 'ulimit -Sn 100; exec "$@"', "--"]
    command = [
        *few_files,
        sys.executable,
        "-m",
        "rewardlab",
        "serve",
        "r.yaml",
        "--port",
        "0",
        "--door",
        "slime",
        "--access-log",
        *("--cohort-timeout", "0.3", "--on-partial", "score"),
    ]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, text=True) as process,
        ExitStack() as stack,
    ):
        url = re.search(r"serving r.yaml at (http://127.0.0.1:\d+); Ctrl-C ends it", process.stderr.readline())[1]
        body = json.dumps({"prompt": "?", "completions": ["\\boxed{1}", ""]}).encode()
        for _ in range(150):  # as members of groups do that wait for each other
            stack.enter_context(socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))))
        request = urllib.request.Request(f"{url}/v1/groups", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert json.load(answer)["total"] == [1.0, 0.0]
        body = json.dumps({"size": 2, "prompt": "?", "completion": "\\boxed{1}"}).encode()
        request = urllib.request.Request(f"{url}/v1/groups/g/members/1", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert json.load(answer)["total"] == 1.0
        with urllib.request.urlopen(f"{url}/openapi.json", timeout=60) as answer:
            assert {"/v1/groups", "/v1/batch", "/slime"} <= json.load(answer)["paths"].keys()
        process.send_signal(stop)
        assert process.wait(60) == code
        ending = "answers what is under way, for 30 s at most; Ctrl-C again ends that wait\n"
        assert process.stderr.read() == f"{ending}ended, after scores for 2 groups\n"
        assert '"POST /v1/groups HTTP/1.1" 200' in process.stdout.read()


@pytest.mark.slow
def test_ends_at_a_signal_though_nobody_reads_what_it_says(write, tmp_path):
    write("r.yaml", RECIPE)
    command = [sys.executable, "-m", "rewardlab", "serve", "r.yaml", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=tmp_path)
    try:
        assert b"serving r.yaml" in process.stderr.readline()
        process.stderr.close()
        process.terminate()
        process.wait(60)
    finally:
        process.kill()


class TestRefuses:
    @pytest.fixture
    def serve(self, main, write, monkeypatch):
        monkeypatch.delenv("REWARDLAB_TOKEN", raising=False)
        write("r.yaml", RECIPE)
        return lambda *arguments: main("serve", "r.yaml", *arguments)

    def test_a_port_in_use(self, serve):
        with bound_socket("127.0.0.1", 0) as taken:
            port = taken.getsockname()[1]
            code, _, err = serve("--port", port)
        assert code == 2
        assert err.startswith(f"error: cannot listen at 127.0.0.1:{port}: Address already in use; choose another")

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "rewards.example"])
    def test_an_address_that_others_reach_without_a_token(self, serve, host):
        code, _, err = serve("--host", host)
        assert code == 2
        assert re.match(
            rf"error: --host: others can reach {re.escape(host)}, so requests need a token: export REW", err
        )

    @pytest.mark.parametrize("token", [" ", "a b", "x\n", "sécret"])
    def test_a_token_that_no_request_could_bring(self, serve, monkeypatch, token):
        monkeypatch.setenv("REWARDLAB_TOKEN", token)
        code, _, err = serve("--host", "0.0.0.0")
        assert (code, err.startswith("error: REWARDLAB_TOKEN: a token consists of ASCII letters")) == (2, True)

    def test_a_recipe_that_a_door_cannot_carry(self, serve):
        code, _, err = serve("--door", "openrlhf", "reward.normalize=[{use: normalize/std}]")
        assert code == 2
        assert err.startswith("error: --door openrlhf: this trainer does not say which completions are of one prompt")

    def test_a_recipe_that_wants_other_prompts(self, serve):
        code, _, err = serve("reward.teach={flat: replace, by: box}")
        assert code == 2
        assert "reward.teach.flat: no server generates other prompts; write drop" in err

    def test_a_recipe_without_a_reward(self, main, write):
        write("r.yaml", "version: 1\n")
        code, _, err = main("serve", "r.yaml")
        assert (code, "reward: missing" in err) == (2, True)


def test_score_and_serve_say_first_what_is_paid_for_in_vain(main, write, monkeypatch):
    monkeypatch.delenv("REWARDLAB_TOKEN", raising=False)
    write(
        "r.yaml",
        """
version: 1
judges:
  main: {use: openai/chat, with: {model: m, base_url: "http://127.0.0.1:9/v1", temperature: 0}}
reward:
  components: {wins: {use: pairwise/win_rate, with: {judge: main}, repeats: 3}}
  total: wins
""",
    )
    said = "warning: r.yaml:6: reward.components.wins: judges.main has temperature 0 and no seed: 3 repeats"
    for command in (["score", "r.yaml", "no rows", "-o", "out.jsonl"], ["serve", "r.yaml", "--host", "0.0.0.0"]):
        code, _, err = main(*command)
        assert code == 2
        assert err.startswith(said), err


def test_score_and_serve_say_that_they_ask_for_no_licence(main, write, monkeypatch):
    monkeypatch.delenv("REWARDLAB_TOKEN", raising=False)
    write(
        "r.yaml",
        """
version: 1
judges:
  main: {use: pairwise/overlap, require: {labels: labels.jsonl, min_accuracy: 0.8}}
  unasked: {use: pairwise/overlap, require: {labels: labels.jsonl, min_accuracy: 0.8}}
reward:
  components: {wins: {use: pairwise/win_rate, with: {judge: main}}}
  total: wins
""",
    )
    said = "r.yaml:4: judges.main.require: is not asked for here; `rewardlab check` says how this licence stands\n"
    for command in (["score", "r.yaml", "no rows", "-o", "out.jsonl"], ["serve", "r.yaml", "--host", "0.0.0.0"]):
        code, _, err = main(*command)
        assert code == 2
        assert err.startswith(said), err
        assert "unasked" not in err
