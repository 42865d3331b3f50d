"""A file that is read while it grows: each line once, whoever cuts, replaces or removes it meanwhile."""

import pytest
from rewardlab_training import GrowingFile, ReplacedFile


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lines"


@pytest.fixture
def new(path):
    growing = GrowingFile(path)
    return lambda: [line for _, line in growing.lines()]


def test_lines_come_once_and_half_ones_with_their_end(path, new):
    assert new() == []
    path.write_bytes(b"one\ntw")
    assert new() == [b"one\n"]
    assert new() == []
    path.write_bytes(b"one\ntwo\nthree\n")
    assert new() == [b"two\n", b"three\n"]


def test_half_a_line_that_is_cut_off_leaves_room_for_another(path, new):
    path.write_bytes(b"one\nhalf of a long line")
    new()
    path.write_bytes(b"one\n")
    assert new() == []
    path.write_bytes(b"one\ntwo\n")
    assert new() == [b"two\n"]


@pytest.mark.parametrize("other", [b"", b"one", b"uno\ntwo\n", None])
def test_a_file_that_is_another_is_told(path, new, other):
    path.write_bytes(b"one\n")
    new()
    path.unlink()
    if other is not None:
        path.write_bytes(other)
    with pytest.raises(ReplacedFile):
        new()
