"""Whole files: what a failure and another writer leave of them."""

import pytest
from rewardlab import files


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
