"""`rewardlab export` into a store of fsspec: put there file by file, and whole or not there."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from helpers.paths import TESTS
from rewardlab.cli import main

fsspec = pytest.importorskip("fsspec")
pytest.importorskip("pyarrow")
MemoryFileSystem = fsspec.get_filesystem_class("memory")
ROWS = [{"id": number, "prompt": "?", "completions": ["x" * number] * 2} for number in range(9)]
DIVIDED = ["--rows-per-file", "6"]
"""three files of three groups"""
EXPORT = ["export", "rows.jsonl", "scored.jsonl", "-o"]
KILLED = """
import os, signal, sys
from fsspec import register_implementation
from fsspec.implementations.local import LocalFileSystem
from rewardlab.cli import main

class Killed(LocalFileSystem):
    left = 2

def kills(call):
    def killed(*arguments, **options):
        Killed.left -= 1
        if not Killed.left:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **options)
    return killed

setattr(Killed, sys.argv[1], kills(getattr(LocalFileSystem, sys.argv[1])))
register_implementation("file", Killed, clobber=True)
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with a recipe, rows and their scores; the folder for temporary files is in it."""
    monkeypatch.syspath_prepend(str(TESTS / "score_plugin"))
    monkeypatch.chdir(tmp_path)
    reward = {"components": {"length": {"use": "cases/length"}}, "total": "length"}
    Path("r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "scored.jsonl"]) == 0
    Path("temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


@pytest.fixture
def memory():
    """The store memory://, empty; a test may register another class for it."""
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    yield files
    registered(MemoryFileSystem)


def registered(files):
    fsspec.register_implementation("memory", files, clobber=True)


def test_partitions_in_a_store_are_scored_as_rows(memory, capsys):
    assert main([*EXPORT, "memory://bucket/scores", *DIVIDED]) == 0
    assert capsys.readouterr().out.endswith("18 completions: memory://bucket/scores\n")
    files = [f"/bucket/scores/data/train-0000{number}.parquet" for number in range(3)]
    assert memory.find("/") == ["/bucket/scores/README.md", *files]
    assert main(["score", "r.yaml", "memory://bucket/scores", "-o", "again.jsonl"]) == 0
    again, first = (
        [json.loads(line)["total"] for line in Path(name).read_text().splitlines()]
        for name in ("again.jsonl", "scored.jsonl")
    )
    assert again == first


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_one_file_in_a_store_has_the_bytes_of_one_here(memory, name):
    for output in (name, f"memory://bucket/{name}"):
        assert main([*EXPORT, output]) == 0
    assert memory.cat(f"/bucket/{name}") == Path(name).read_bytes()
    assert memory.find("/") == [f"/bucket/{name}"]


def test_a_folder_in_a_store_has_its_one_table(tmp_path):
    assert main([*EXPORT, f"file://{tmp_path}/store/scores/"]) == 0
    there = sorted(path.relative_to("store").as_posix() for path in Path("store").rglob("*.*"))
    assert there == ["scores/README.md", "scores/data/train.parquet"]


def test_this_machine_holds_one_partition_at_a_time(memory):
    held = []

    class Watched(MemoryFileSystem):
        def put_file(self, path, *arguments, **options):
            held.append(len([*Path("temporary").rglob("*.parquet")]))
            super().put_file(path, *arguments, **options)

    registered(Watched)
    assert main([*EXPORT, "memory://bucket/scores", *DIVIDED]) == 0
    assert held == [1, 1, 1, 0]  # the last is the card


def test_a_store_that_takes_no_more_has_nothing_and_is_one_error(memory, capsys):
    class Full(MemoryFileSystem):
        left = 1

        def put_file(self, *arguments, **options):
            if not Full.left:
                raise OSError(28, "No space left")
            Full.left -= 1
            super().put_file(*arguments, **options)

    registered(Full)
    assert main([*EXPORT, "memory://bucket/scores", *DIVIDED]) == 1
    err = capsys.readouterr().err
    assert err == "error: memory://bucket/scores cannot be written: OSError: [Errno 28] No space left\n"
    assert memory.find("/") == []


def test_a_store_that_fails_as_files_get_their_names_has_nothing(memory, capsys):
    class Cut(MemoryFileSystem):
        def mv(self, path, *arguments, **options):
            if path.endswith("train-00001.parquet"):
                raise ConnectionError("the connection was cut")
            super().mv(path, *arguments, **options)

    registered(Cut)
    assert main([*EXPORT, "memory://bucket/scores", *DIVIDED]) == 1
    told = "memory://bucket/scores cannot be written: ConnectionError: the connection was cut"
    assert told in capsys.readouterr().err
    assert memory.find("/") == []


@pytest.mark.parametrize("call", ["put_file", "mv"])
def test_what_a_kill_leaves_does_not_look_finished(tmp_path, capsys, call):
    url = f"file://{tmp_path}/store/scores"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, call, *EXPORT, url, *DIVIDED],
        env={**os.environ, "TMPDIR": f"{tmp_path}/temporary", "PYTHONPATH": str(TESTS / "score_plugin")},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert Path("store/scores").exists() == (call == "mv")
    capsys.readouterr()
    for rows in (url, f"{url}/data", f"{url}/data/train-00000.parquet"):
        assert main(["score", "r.yaml", rows, "-o", "again.jsonl"]) == 2
        told = f"error: {rows}: an export to it has not finished, since there is {tmp_path}/store/scores.unfinished\n"
        assert capsys.readouterr().err == told
    assert main([*EXPORT, url, *DIVIDED]) == 2
    told = f"error: {url}.unfinished: an export that goes on, or was killed, has left this; remove it"
    assert told in capsys.readouterr().err


def test_an_address_that_exists_or_no_store_has_is_refused_before_anything_is_made(memory, capsys):
    memory.pipe("/bucket/scores/README.md", b"")
    for url, problem in (
        ("memory://bucket/scores", "exists already; give -o another name"),
        ("nostore://bucket/scores", "cannot be written: ValueError: Protocol not known: nostore"),
    ):
        assert main([*EXPORT, url, *DIVIDED]) == 2
        assert capsys.readouterr().err == f"error: {url}: {problem}\n"
    assert memory.find("/") == ["/bucket/scores/README.md"]


def test_scores_are_not_written_into_a_store(capsys):
    for words in (
        ["score", "r.yaml", "rows.jsonl", "-o", "s3://bucket/out.jsonl"],
        ["score", "r.yaml", "rows.jsonl", "-o", "s3://bucket/out.jsonl", "--shard", "1/2"],
        ["merge", "s3://bucket/out.jsonl"],
        ["merge", "out.jsonl", "-o", "s3://bucket/out.jsonl"],
    ):
        assert main(words) == 2
        err = capsys.readouterr().err
        assert err.startswith("error: s3://bucket/out"), err
        assert "a store has no locks and no appending; write to a folder that all machines see" in err
        assert "`rewardlab export ROWS SCORED -o ADDRESS`" in err
