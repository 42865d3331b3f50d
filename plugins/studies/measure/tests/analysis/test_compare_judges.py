"""`rewardlab compare` against a real judge server that counts what it is paid: by both recipes, killed, and down."""

import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from rewardlab.judging import circuit_breaker

pytestmark = pytest.mark.slow  # it serves over HTTP and kills processes

ROWS, GROUP, CONCURRENCY = 20, 3, 4
QUESTIONS = ROWS * GROUP * (GROUP - 1)  # each pair in both orders


@pytest.fixture
def serving(judge_server):
    """Serve while a block runs: `with serving(latency=0.01) as server`."""
    return lambda **settings: judge_server.Serving(judge_server.JudgeServer(**settings))


@pytest.fixture
def recipes(write):
    """Write a.yaml and b.yaml, whose rewards ask the judge at `server` the same, under other names."""
    rows = [
        {
            "id": f"r{number}",
            "prompt": f"How much is {number} + 1?",
            "reference": f"It is {number + 1}.",
            "completions": [f"I say {number + wrong}." for wrong in range(GROUP)],
        }
        for number in range(ROWS)
    ]
    write("rows.jsonl", rows)

    def files(server, **settings):
        model = {"model": "tiny", "base_url": server.url}
        judge = {"use": "openai/chat", "with": model, "concurrency": CONCURRENCY, "retries": 0} | settings
        for file, name, total in (("a.yaml", "main", "w"), ("b.yaml", "other", "1 - w")):
            asks = {"use": "pairwise/win_rate", "with": {"judge": name, "privileged": "reference", "orders": "both"}}
            reward = {"components": {"w": asks}, "total": total}
            write(file, json.dumps({"version": 1, "judges": {name: judge}, "reward": reward}))

    return files


@pytest.fixture
def compare(main):
    """`compare()` is what --json prints."""

    def run(*arguments):
        code, out, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "--json", *arguments)
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


@contextmanager
def running(folder):
    """The command in a process, killed at the end."""
    command = [sys.executable, "-m", "rewardlab.cli", "compare", "a.yaml", "b.yaml", "rows.jsonl"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(server, answered, process):
    until = time.monotonic() + 60
    while server.answered < answered:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < until
        time.sleep(0.005)


def test_what_both_ask_is_paid_once_without_a_cassette(serving, recipes, compare):
    with serving(latency=0.002) as server:
        recipes(server)
        found = compare()
    assert len(server.requests) == QUESTIONS
    assert set(server.paid.values()) == {1}
    assert found["slices"]["all"]["flips"]["share"] > 0.5
    for letter, name in (("a", "main"), ("b", "other")):
        (asked,) = [found[letter]["cost"]["judges"][name]]
        assert (asked["questions"], asked["tokens"]) == (QUESTIONS, server.tokens)
    paid = found["paid"]["A main = B other"]
    assert (paid["calls"], paid["prompt_tokens"] + paid["completion_tokens"]) == (QUESTIONS, server.tokens)


def test_what_only_one_asks_is_paid_for_it(serving, recipes, compare):
    with serving() as server:
        recipes(server)
        found = compare("b:reward.components.w.with.privileged=null")
    assert len(server.requests) == 2 * QUESTIONS
    assert set(server.paid.values()) == {1}
    assert found["b"]["cost"]["judges"]["other"]["questions"] == QUESTIONS


def test_killed_in_the_middle_a_cassette_has_what_was_paid(serving, recipes, compare, tmp_path):
    with serving(latency=0.02) as server:
        recipes(server, cassette={"path": str(tmp_path / "tape.jsonl")})
        with running(tmp_path) as process:
            wait_for(server, QUESTIONS // 2, process)
            process.send_signal(signal.SIGKILL)
        found = compare()
        assert found["slices"]["all"]["groups"] == ROWS
        assert len(server.paid) == QUESTIONS
        # what was on its way when the process was killed had an answer that nobody took
        assert sum(server.paid.values()) <= QUESTIONS + CONCURRENCY
        before = server.answered
        assert compare()["slices"] == found["slices"]
        assert server.answered == before


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "answers of A main, B other are kept nowhere; set `cassette: {path: FILE}` on the judge to keep them"),
        (
            {"cassette": {"path": "tape.jsonl"}},
            "answers that were paid for are in tape.jsonl; the same command asks only for the others",
        ),
    ],
)
def test_ctrl_c_says_what_becomes_of_the_answers(serving, recipes, tmp_path, settings, told):
    with serving(latency=0.02) as server:
        recipes(server, **settings)
        with running(tmp_path) as process:
            wait_for(server, QUESTIONS // 2, process)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    stopped, done, answers = err.splitlines()
    assert stopped == "error: stopped"
    assert done.endswith(f" of {ROWS} groups were compared")
    assert answers == f"error: {told}"


def test_a_judge_that_goes_down_ends_it(serving, recipes, main, monkeypatch):
    monkeypatch.setattr(circuit_breaker, "MAX_PAUSE_S", 0.1)  # else it is tried again for a minute
    with serving(fault=lambda number, request: "500" if number >= 40 else None) as server:
        recipes(server)
        code, out, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    assert (code, out) == (1, "")
    assert "component 'w' (pairwise/win_rate) failed on sample" in err
    assert "judge 'main'" in err
    assert " of 20 groups were compared" in err
    assert "are kept nowhere" in err
