"""The processes of sft and dpo on one node: their ranks, how they end, and what is left of them."""

import os
import signal
import subprocess
import sys
import time
from textwrap import dedent

import pytest
from rewardlab_ray.job.ranks import launch_node

pytestmark = pytest.mark.slow  # starts torch.distributed

PROGRAM = """
    import os, sys, time
    from pathlib import Path

    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    total = torch.tensor([dist.get_rank() + 1])
    dist.all_reduce(total)
    folder = Path(sys.argv[1])
    (folder / f"rank-{dist.get_rank()}").write_text(f"{dist.get_world_size()} {total.item()}")
    if sys.argv[2] == "fail" and dist.get_rank() == 1:
        sys.exit(7)
    while True:
        time.sleep(0.1)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    (tmp_path / "ranked.py").write_text(dedent(PROGRAM))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return tmp_path


def launch(folder, how):
    from rewardlab_ray.job.ranks import _free_port

    return launch_node("ranked", [str(folder), how], 1, 0, 2, "127.0.0.1", _free_port())


def test_each_rank_knows_the_others_and_one_that_fails_ends_them_and_the_launcher(program):
    """That a good end is 0, every stage of the end-to-end tests shows."""
    assert launch(program, "fail") != 0
    assert [(program / f"rank-{rank}").read_text() for rank in range(2)] == ["2 3", "2 3"]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupt_or_a_kill_of_what_launched_leaves_no_process(program, ending):
    code = (
        "from rewardlab_ray.job.ranks import _free_port, launch_node; "
        f"launch_node('ranked', [{str(program)!r}, 'stay'], 1, 0, 2, '127.0.0.1', _free_port())"
    )
    environment = {**os.environ, "RANKED": str(program)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL) as process:
        _until(lambda: (program / "rank-1").exists())
        process.send_signal(ending)
        process.wait(40)
    _until(lambda: not _with(f"RANKED={program}"))


def _with(variable):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                found += [pid] if variable.encode() in file.read().split(b"\0") else []
        except OSError:  # it has ended, or is another user's
            continue
    return found


def _until(true, limit=60.0):
    end = time.monotonic() + limit
    while not true():
        assert time.monotonic() < end
        time.sleep(0.2)
