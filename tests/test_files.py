"""Whole files: what a failure and another writer leave of them."""

import errno
import fcntl
import os
import signal
import subprocess
import sys

import pytest
from rewardlab import files
from rewardlab.scratch_file import scratch_file


def test_a_failure_leaves_the_earlier_file_and_no_scratch(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    files.write_json(path, 1)

    def interrupted(file):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.write_json(path, 2)
    assert [*tmp_path.iterdir()] == [path]
    assert files.read_json(path) == 1


def test_two_writers_at_once_leave_a_whole_file(tmp_path, monkeypatch):
    path, sync = tmp_path / "state.json", files.os.fsync

    def another_writes(file):
        monkeypatch.setattr(files.os, "fsync", sync)
        files.write_json(path, ["another"])

    monkeypatch.setattr(files.os, "fsync", another_writes)
    files.write_json(path, ["one"])
    assert files.read_json(path) == ["one"]
    assert [*tmp_path.iterdir()] == [path]


KILLED = """
import os, pathlib, signal, sys
from rewardlab import files

def lines():
    yield "half" * 10_000
    os.kill(os.getpid(), signal.SIGKILL)

files.write_text(pathlib.Path(sys.argv[1]), lines())
"""


def test_what_a_killed_writer_left_is_gone_after_the_next(tmp_path):
    path = tmp_path / "rows.jsonl"
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", KILLED, str(path)]).returncode == -signal.SIGKILL
        assert len([*tmp_path.iterdir()]) == 1, "each took the file of the one before"
    assert not path.exists()
    files.write_text(path, "whole")
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_text() == "whole"


def test_a_file_whose_name_is_as_long_as_can_be_is_written(tmp_path):
    path = tmp_path / ("n" * 255)
    files.write_text(path, "whole")
    assert [*tmp_path.iterdir()] == [path]


def test_what_stands_where_a_scratch_file_would_is_left_alone(tmp_path):
    path, private = tmp_path / "state.json", tmp_path / "private"
    private.write_text("mine")
    scratch_file(path)[0].unlink()
    usual, number = scratch_file(path)
    os.close(number)
    usual.unlink()
    usual.symlink_to(private)
    files.write_text(path, "whole")
    assert (path.read_text(), private.read_text()) == ("whole", "mine")


def test_a_file_system_without_locks_keeps_no_scratch(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    files.write_text(tmp_path / "state.json", "whole")
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]


def test_any_number_look_at_a_lock_at_a_time_and_see_only_who_holds_it(tmp_path):
    path = tmp_path / "lock"
    assert not files.is_held(path)
    lock = files.FileLock(path)
    path.chmod(0o444)
    assert files.is_held(path)
    lock.close()
    with path.open("rb") as other:
        files.fcntl.flock(other, files.fcntl.LOCK_SH)  # as another process does that looks
        assert not files.is_held(path)


def test_who_only_looks_at_a_lock_keeps_nobody_from_taking_it(tmp_path, monkeypatch):
    path = tmp_path / "lock"
    path.touch()
    looks = path.open("rb")
    fcntl.flock(looks, fcntl.LOCK_SH)  # as `is_held` does for a moment
    monkeypatch.setattr(files.time, "sleep", lambda seconds: looks.close())
    files.FileLock(path).close()
    assert looks.closed
