"""Kills at random moments, every night: `benchmarks/shard_kills.py` finds the bytes of one machine after each."""

import subprocess
import sys
from importlib.util import find_spec

import pytest
from helpers.paths import ROOT

pytestmark = pytest.mark.nightly


def kills(*words):
    command = [sys.executable, str(ROOT / "benchmarks" / "shard_kills.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=1800)


def test_of_shards_and_merges():
    done = kills("--kinds", "shard", "merge", "--kills", "6")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "shard 6 of 6, merge 6 of 6 ended in the same bytes" in done.stdout


@pytest.mark.verl
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the environment of requirements-verl-cpu.txt")
def test_of_drivers_hosts_and_nodes():
    done = kills("--kinds", "driver", "actor", "node", "--kills", "6")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "driver 6 of 6, actor 6 of 6, node 6 of 6 ended in the same bytes" in done.stdout
