"""Clients that leave, repeat, reorder and lie, against a server process: each group is scored once and right."""

import subprocess
import sys

import pytest
from helpers.paths import ROOT


@pytest.mark.slow
def test_each_group_is_answered_once_and_right():
    command = [sys.executable, str(ROOT / "benchmarks" / "serve.py"), "--chaos", "--groups", "400"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "400 groups of 8, 200 at a time: every member of every group got its own number" in done.stdout
    assert "scored 400 times" in done.stdout
