"""command.sh by itself, with real programs: a signal is handed on once, and the exit code is the command's."""

import os
import signal
import subprocess
import sys
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from rewardlab_launch.script_files import script

NOTING = """
import signal, sys, time
heard = []
signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
print("up", flush=True)
while not heard:
    time.sleep(0.05)
time.sleep(1)
print("heard", len(heard), flush=True)
sys.exit(143)
"""


@pytest.fixture
def started(tmp_path):
    """A function that starts the script with a command; its output is a pipe."""

    def start(words, hands_on="1", progress="", resumed=()):
        values = {"folder": str(tmp_path / "job"), "workdir": str(tmp_path), "progress": str(progress)}
        values |= {"hands_on": hands_on, "words": words, "resumed": [*resumed]}
        (tmp_path / "command.sh").write_text(script([], values, "command.sh"))
        return subprocess.Popen(
            ["bash", str(tmp_path / "command.sh")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )

    return start


@pytest.mark.parametrize("hands_on", ["1", ""])
def test_a_signal_reaches_the_command_once(started, tmp_path, hands_on):
    with started([sys.executable, "-c", NOTING], hands_on) as job:
        assert job.stdout.readline() == "up\n"
        os.killpg(job.pid, signal.SIGTERM)
        if not hands_on:  # nobody hands it on: the one who sends it sends it there, too
            time.sleep(0.3)
            os.kill(int((tmp_path / "job/launch/pid").read_text()), signal.SIGTERM)
        assert job.stdout.read() == "heard 1\n"
    assert job.returncode == 143
    assert (tmp_path / "job/launch/code").read_text() == "143\n"


def test_a_signal_while_servers_are_waited_for_ends_the_attempt(started, tmp_path, monkeypatch):
    monkeypatch.setenv("REWARDLAB_SERVERS", "JUDGE_URL /health 600 127.0.0.1:9;")  # where nothing answers
    with started(["echo", "begun"], "") as job:
        while not (pid := tmp_path / "job/launch/pid").exists():
            time.sleep(0.05)
        os.kill(int(pid.read_text()), signal.SIGTERM)  # as the script of the job does, which knows no other
        assert "a signal before the command has begun" in job.stdout.read()
    assert job.returncode == 143
    assert (tmp_path / "job/launch/code").read_text() == "143\n"
    assert not pid.exists()


def test_what_has_begun_goes_on(started, tmp_path):
    (tmp_path / "state.json").touch()
    with started(["echo", "begin"], progress=tmp_path / "state.json", resumed=["echo", "go on"]) as job:
        assert job.stdout.read() == "go on\n"
    assert job.returncode == 0


def test_a_mistake_is_final_before_the_work_has_begun_and_not_after(started, tmp_path):
    mistake = ["bash", "-c", "exit 2"]
    progress = tmp_path / "state.json"
    progress.touch()
    with started(mistake, progress=progress, resumed=mistake) as job:
        job.communicate()
    assert (job.returncode, (tmp_path / "job/launch/refused").exists()) == (2, False)
    progress.unlink()
    with started(mistake, progress=progress) as job:
        job.communicate()
    assert (job.returncode, (tmp_path / "job/launch/refused").exists()) == (2, True)
    with started(["echo", "again"], progress=progress) as job:
        assert "an earlier attempt was refused" in job.stdout.read()
    assert job.returncode == 2


def test_a_ray_of_the_shell_that_submitted_is_not_the_jobs(tmp_path, monkeypatch):
    """With its address, which Slurm hands on, Ray would count the nodes of that one."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ray").write_text('#!/bin/sh\n[ "$2" = --help ] || echo "${RAY_ADDRESS:-none}" "$@"\n')
    (tmp_path / "bin" / "ray").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("RAY_ADDRESS", "http://of-another:8265")
    monkeypatch.setenv("REWARDLAB_HEAD", "10.0.0.1")
    values = {"folder": str(tmp_path), "nodes": 2, "ray_port": 6379, "ray_wait_s": 900, "ray_options": ["--num-cpus=4"]}
    (tmp_path / "node.sh").write_text(script([], values, "node.sh"))
    said = subprocess.run(["bash", str(tmp_path / "node.sh")], capture_output=True, encoding="utf-8", check=True).stdout
    started = "--address 10.0.0.1:6379 --min-nodes 2 --num-cpus=4 --"
    assert said == f"none symmetric-run {started} bash {tmp_path}/launch/command.sh\n"


def test_several_servers_are_asked_through_a_balancer_on_a_port_that_is_free(started, tmp_path, monkeypatch):
    """Each of two jobs has its own, though both ask the same servers of this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        hosts = " ".join([f"127.0.0.1:{server.server_port}"] * 2)
        monkeypatch.setenv("REWARDLAB_HEAD", "127.0.0.1")
        monkeypatch.setenv("REWARDLAB_SERVERS", f"JUDGE_URL / 60 {hosts};")
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        monkeypatch.setenv("PATH", path)
        words = ["bash", "-c", "echo $JUDGE_URL; exec sleep 1000"]
        with started(words) as first, started(words) as second:
            asked = [next(line for line in job.stdout if line.startswith("http")) for job in (first, second)]
            for job in (first, second):
                os.killpg(job.pid, signal.SIGTERM)
        server.shutdown()
    assert asked[0] != asked[1]
    assert all(url.startswith("http://127.0.0.1:") and url.endswith("/v1\n") for url in asked)
