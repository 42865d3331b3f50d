"""server.sh by itself: the servers of a node with their ports and GPUs, started again, and ended together."""

import os
import signal
import subprocess

import pytest
from rewardlab_launch.script_files import script

SERVE = """serve() { exec python3 -c '
import os, sys, time
os.write(1, (sys.argv[1] + " " + str(os.environ.get("CUDA_VISIBLE_DEVICES")) + os.linesep).encode())  # in one piece
time.sleep(1000)' "$1"; }"""


@pytest.fixture
def started(tmp_path):
    """A function that starts the script with its words and returns the process."""
    jobs = []

    def start(*words, gpus, devices=None, serve=SERVE, restarts=0):
        text = script([serve], {"restarts": restarts, "gpus": gpus}, "server.sh").replace("sleep 5", ":")
        (tmp_path / "server.sh").write_text(text)
        environment = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
        job = subprocess.Popen(
            ["bash", str(tmp_path / "server.sh"), *words],
            env=environment | ({} if devices is None else {"CUDA_VISIBLE_DEVICES": devices}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        jobs.append(job)
        return job

    yield start
    for job in jobs:
        job.terminate()
        job.communicate()


@pytest.mark.parametrize(
    ("words", "gpus", "devices", "expected"),
    [
        (("4", "2", "8000"), 2, "4,5,6,7", {"8000 4,5", "8001 6,7"}),
        (("0", "2", "8000"), 1, None, {"8000 0", "8001 1"}),
        (("0", "1", "8000"), 2, "2,3", {"8000 2,3"}),
        (("0", "2", "8000"), 0, "0,1", {"8000 0,1", "8001 0,1"}),
    ],
)
def test_each_server_of_a_node_has_a_port_and_gpus_of_its_own(started, words, gpus, devices, expected):
    job = started(*words, gpus=gpus, devices=devices)
    assert {job.stdout.readline().rstrip() for _ in range(int(words[1]))} == expected
    job.send_signal(signal.SIGTERM)
    assert job.stdout.read() == ""  # at its end no server has the pipe any more
    assert job.wait() == 0


def test_a_server_that_dies_is_started_again_as_often_as_the_site_says(started):
    job = started("3", "2", "8000", gpus=0, serve="serve() { printf 'up %s\\n' \"$1\"; exit 7; }", restarts=1)
    said = sorted(job.stdout.read().splitlines())
    ended = [f"launch: server {number} has ended with code 7" for number in (3, 3, 4, 4)]
    assert said == [*ended, "up 8000", "up 8000", "up 8001", "up 8001"]
    assert job.wait() == 7
