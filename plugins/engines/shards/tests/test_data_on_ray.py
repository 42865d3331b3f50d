"""`run --on ray` of a data stage: hosts of a real cluster ask the judge, and the file is that of one machine."""

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

pytest.importorskip("ray", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl, pytest.mark.xdist_group("hosts of Ray")]

LIMIT = 240
ROWS = 96
CONCURRENCY = 8
BUDGET = 60_000


@pytest.fixture
def server(judge_server):
    def answer(request):
        return f"In short: {request['messages'][-1]['content'].count('Or do I')} doubts."

    with judge_server.Serving(judge_server.JudgeServer(answer=answer, latency=0.1)) as running:
        yield running


@pytest.fixture
def folder(tmp_path, server):
    """Where the command runs, with a recipe whose paths begin there."""
    with open(tmp_path / "rows.jsonl", "w") as file:
        for number in range(ROWS):
            trace = f"I add {number}. " + "Or do I? " * (20 + number % 7) + "I do."
            row = {"id": number, "prompt": "?", "trace": trace, "response": f"<think>{trace}</think>{number}"}
            file.write(json.dumps(row) + "\n")
    asked = {"use": "openai/chat", "with": {"model": "m", "base_url": server.url, "max_tokens": 64}, "retries": 0}
    judge = asked | {"concurrency": CONCURRENCY, "budget": {"tokens": BUDGET}}
    source = {"use": "data/jsonl", "with": {"path": "rows.jsonl"}}
    step = {"use": "rubric/summarised", "with": {"judge": "main", "limit": 40}, "from": source}
    stages = [{"use": "data", "dataset": step, "to": "out/made.jsonl"}]
    recipe = {"version": 1, "name": "made", "judges": {"main": judge}, "stages": stages}
    (tmp_path / "r.yaml").write_text(json.dumps(recipe | {"backend": {"use": "trl"}}))
    return tmp_path


def words(*more):
    return [sys.executable, "-m", "rewardlab.cli", "run", "r.yaml", "--stage", "0", *more]


def run(folder, nodes, *more):
    return subprocess.run(words(*more), cwd=folder, env=nodes.of_drivers, capture_output=True, text=True, timeout=LIMIT)


def begun(folder, nodes, server):
    """Return the process of the stage on hosts, once they have asked for a part of the rows."""
    process = subprocess.Popen(
        words("--on", "ray"),
        cwd=folder,
        env=nodes.of_drivers,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while process.poll() is None and server.answered < ROWS // 3:
        time.sleep(0.02)
    assert process.poll() is None, process.stdout.read()
    return process


def host():
    """Return the process of a host."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if "ray::HostActor" in " ".join(process.cmdline()):
                return process
    raise AssertionError("no host is there")


def is_that_of_one_machine(folder, nodes, server):
    """Whether the rows are those of one machine, and nothing beyond what was under way was paid twice."""
    assert server.answered <= ROWS + 1 + 2 * CONCURRENCY  # a call that tries the judge; what kills cut off
    assert server.tokens <= BUDGET
    assert server.most_under_way <= CONCURRENCY + 1
    made = (folder / "out" / "made.jsonl").read_bytes()
    (folder / "out").rename(folder / "on_hosts")
    alone = run(folder, nodes)
    assert alone.returncode == 0, alone.stderr
    return made == (folder / "out" / "made.jsonl").read_bytes()


def test_hosts_ask_and_the_file_is_that_of_one_machine(folder, nodes, server):
    done = run(folder, nodes, "--on", "ray")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "asks on 2 hosts of Ray: 8 of 8 shards" in done.stdout
    assert f"hosts: judge main: {ROWS} calls" in done.stdout
    assert f"judge main: 0 calls, 0 tokens, {ROWS} answers reused" in done.stdout
    assert set(server.paid.values()) == {1}
    answers = [file.name.split(".", 1)[1] for file in (folder / "out").rglob("main@*.jsonl") if file.stat().st_size]
    assert {"1-of-2.answers.jsonl", "2-of-2.answers.jsonl"} <= {*answers}
    assert is_that_of_one_machine(folder, nodes, server)


@pytest.mark.nightly  # test_on_ray.py kills a host and a driver of the same hosts
def test_a_host_that_is_killed_is_replaced(folder, nodes, server):
    process = begun(folder, nodes, server)
    host().kill()
    told, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, told
    assert "has died; others take its rows" in told
    assert is_that_of_one_machine(folder, nodes, server)


@pytest.mark.nightly
def test_a_driver_that_is_killed_goes_on_with_the_shards_that_are_left(folder, nodes, server):
    process = begun(folder, nodes, server)
    note = folder / "out" / "made.jsonl.state" / "on_hosts.json"
    while not note.exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    finished = len(json.loads(note.read_text())["done"])
    again = run(folder, nodes, "--resume", "latest", "--on", "ray")
    assert again.returncode == 0, again.stdout + again.stderr
    assert f"{8 - finished} of 8 shards" in again.stdout
    assert is_that_of_one_machine(folder, nodes, server)
