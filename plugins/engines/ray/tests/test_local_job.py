"""The driver on this machine ends with the process that started it, also where that was killed."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

CODE = """
import time
from rewardlab_ray.job.local_job import end_with_parent
end_with_parent()
try:
    print("started", flush=True)
    time.sleep({seconds})
except KeyboardInterrupt:
    print("interrupted")
"""


def attended(seconds):
    return subprocess.Popen(
        [sys.executable, "-c", CODE.format(seconds=seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_it_is_interrupted_where_that_is_gone():
    with attended(seconds=60) as process:
        assert process.stdout.readline() == "started\n"
        process.stdin.close()
        assert process.stdout.read() == "interrupted\n"
        assert process.wait(20) == 0


def test_it_ends_by_itself_where_that_is_there():
    with attended(seconds=0) as process:
        assert process.wait(20) == 0
        assert process.stdout.read() == "started\n"
        assert process.stderr.read() == ""
