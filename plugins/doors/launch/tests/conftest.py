"""What the tests of launch share: a small Slurm, and site files for it."""

import json
import os
import random
import socket
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

SLURM = Path(__file__).parent / "fake_slurm" / "slurm.py"
COMMANDS = ("sbatch", "srun", "scontrol", "squeue", "sacct", "scancel", "preempt")


@pytest.fixture
def trl():
    """Skip a test of a recipe for trl where its engine, which needs torch, is not installed."""
    pytest.importorskip("rewardlab_trl", reason="rewardlab-trl, which needs torch, is not in this environment")


@pytest.fixture
def slurm(tmp_path):
    """A small Slurm of two nodes, both of them this machine: the environment in which its commands are on PATH."""
    folder = tmp_path / "slurm"
    (folder / "bin").mkdir(parents=True)
    for name in COMMANDS:
        command = folder / "bin" / name
        command.write_text(f'#!/bin/sh\nexec {sys.executable} {SLURM} {name} "$@"\n')
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
    # names that lead to this machine, whatever its own name is
    (folder / "nodes.json").write_text(json.dumps({"localhost": ["env"], "127.0.0.1": ["env"]}))
    path = os.pathsep.join([str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "FAKE_SLURM": str(folder), "PATH": path}
    subprocess.Popen([sys.executable, SLURM, "controller"], env=environment, start_new_session=True)
    yield environment
    for process in psutil.process_iter():  # of jobs that a failed test has left
        with suppress(psutil.Error, OSError):
            if f"FAKE_SLURM={folder}".encode() in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0"):
                process.kill()


@pytest.fixture(scope="session")
def sites(module_of):
    """The module sites.py."""
    return module_of(Path(__file__).with_name("sites.py"))


@pytest.fixture(scope="session")
def slurm_job(module_of):
    """The class of slurm_job.py."""
    return module_of(Path(__file__).with_name("slurm_job.py")).Job


@pytest.fixture(scope="session")
def free_port():
    """A function: a port that nothing listens on, of those that a site may name."""

    def port():
        while True:
            with socket.socket() as tried, suppress(OSError):
                tried.bind(("127.0.0.1", random.randint(20000, 30000)))
                return tried.getsockname()[1]

    return port
