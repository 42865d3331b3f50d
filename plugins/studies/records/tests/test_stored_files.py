"""Rows in partitions, and in a store that fsspec reads: what one file of them gives."""

import json
from pathlib import Path

import pytest
from helpers.paths import TESTS
from rewardlab.cli import main

ROWS = [{"id": number, "prompt": "?", "completions": ["x" * number]} for number in range(9)]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with a recipe, rows in one file and in partitions; the plugin `cases` is installed."""
    monkeypatch.syspath_prepend(str(TESTS / "score_plugin"))
    monkeypatch.chdir(tmp_path)
    reward = {"components": {"length": {"use": "cases/length"}}, "total": "length"}
    (tmp_path / "r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))
    lines = [json.dumps(row) + "\n" for row in ROWS]
    (tmp_path / "rows.jsonl").write_text("".join(lines))
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part-9.jsonl").write_text("".join(lines[:5]))
    (tmp_path / "parts" / "part-10.jsonl").write_text("".join(lines[5:]))
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "one.jsonl"]) == 0


def test_a_folder_of_partitions_is_read_in_the_order_of_their_numbers():
    assert main(["score", "r.yaml", "parts", "-o", "out.jsonl"]) == 0
    assert Path("out.jsonl").read_bytes() == Path("one.jsonl").read_bytes()


def test_partitions_of_parquet_are_rows_as_well():
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    Path("columns").mkdir()
    for number, rows in enumerate((ROWS[:4], ROWS[4:])):
        parquet.write_table(arrow.Table.from_pylist(rows), f"columns/{number}.parquet")
    for part in (1, 2):
        assert main(["score", "r.yaml", "columns", "-o", "out.jsonl", "--shard", f"{part}/2"]) == 0
    assert main(["merge", "out.jsonl"]) == 0
    assert Path("out.jsonl").read_bytes() == Path("one.jsonl").read_bytes()


def test_files_and_folders_of_a_store_are_fetched(tmp_path, capsys):
    pytest.importorskip("fsspec")
    for number, url in enumerate((f"file://{tmp_path}/rows.jsonl", f"file://{tmp_path}/parts")):
        assert main(["score", "r.yaml", url, "-o", f"out{number}.jsonl"]) == 0, capsys.readouterr().err
        assert Path(f"out{number}.jsonl").read_bytes() == Path("one.jsonl").read_bytes()


def test_what_a_store_has_not_is_one_error(tmp_path, capsys):
    pytest.importorskip("fsspec")
    for url in (f"file://{tmp_path}/none.jsonl", "nostore://bucket/rows.jsonl"):
        assert main(["score", "r.yaml", url, "-o", "out.jsonl"]) == 2
        assert f"{url}: cannot be fetched: " in capsys.readouterr().err


def test_a_bad_row_of_a_store_is_named_by_its_place_there(tmp_path, capsys):
    pytest.importorskip("fsspec")
    with open("parts/part-10.jsonl", "a") as file:
        file.write("nothing\n")
    assert main(["score", "r.yaml", f"file://{tmp_path}/parts", "-o", "out.jsonl"]) == 2
    assert f"file://{tmp_path}/parts/part-10.jsonl:5" in capsys.readouterr().err


def test_a_store_that_refuses_in_its_own_words_is_one_error(capsys):
    """Stores raise what their libraries have, such as botocore's NoCredentialsError, which is no OSError."""
    fsspec = pytest.importorskip("fsspec")

    class NoCredentialsError(Exception):
        pass

    class Closed(fsspec.AbstractFileSystem):
        protocol = "closed"

        def get(self, *_, **__):
            raise NoCredentialsError("Unable to locate credentials")

    fsspec.register_implementation("closed", Closed, clobber=True)
    assert main(["score", "r.yaml", "closed://bucket/rows.jsonl", "-o", "out.jsonl"]) == 2
    told = "closed://bucket/rows.jsonl: cannot be fetched: NoCredentialsError: Unable to locate credentials"
    assert told in capsys.readouterr().err
    assert not Path("out.jsonl").exists()
