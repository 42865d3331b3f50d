"""Output lines: what JSON holds and how it is written; the file they are appended to; putting it in order."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.errors import JobError
from rewardlab.files import LineAppender
from rewardlab.scorefile.index import RowIndex
from rewardlab.scorefile.output import put_in_order, read_partial_output, to_line

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters())  # lone surrogates, controls and line separators too
JSON = st.recursive(SCALARS | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=8)


@given(st.dictionaries(TEXTS, JSON, max_size=4))
def test_a_row_is_one_line_of_utf8_that_reads_back(row):
    line = to_line(row)
    assert line.count(b"\n") == 1
    assert json.loads(line.decode("utf-8")) == row
    assert len(line.decode("utf-8").split("\n")) == 2


def test_letters_are_not_escaped():
    assert to_line({"x": "উ é \u2028"}) == '{"x": "উ é \u2028"}\n'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_no_number_that_json_lacks_is_written(value):
    with pytest.raises(ValueError, match=r"not JSON compliant"):
        to_line({"x": [value]})


def output_line(row_id):
    columns = {"value": [1.0], "error": [None], "info": [{}]}
    return to_line({"id": row_id, "total": [1.0], "shaped": [1.0], "components": {"c": columns}})


def index_of(*ids):
    index = RowIndex()
    for line, row_id in enumerate(ids, 1):
        index.add(line, row_id)
    return index


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"null\n",
        b"[]\n",
        b"\xff\n",
        b'{"id": 1}\n',
        output_line(1).replace(b'"total"', b'"sum"'),
        output_line(1).replace(b'"c"', b'"d"'),
        output_line(1).replace(b'"total": [1.0]', b'"total": [1.0, 2.0]'),
        output_line(1).replace(b'"error": [null]', b'"error": null'),
        output_line(1).replace(b'"id": 1', b'"id": 1.0'),
        b"[" * 100_000 + b"\n",
    ],
)
def test_a_line_that_is_no_output_row_is_dropped(tmp_path, line):
    path, seen = tmp_path / "out.jsonl", []
    path.write_bytes(output_line("a") + line + output_line(1))
    kept = read_partial_output(path, index_of("a", "1"), ["c"], seen.append)
    assert (kept.rows, kept.dropped, kept.in_order) == (2, 1, False)
    assert [row["id"] for row in seen] == ["a", 1]


def test_order_is_by_rows_not_by_ids(tmp_path):
    path = tmp_path / "out.jsonl"
    lines = {row_id: output_line(row_id) for row_id in ("z", "a", "m")}
    path.write_bytes(lines["a"] + lines["z"] + lines["a"] + lines["m"])
    put_in_order(path, tmp_path / "scratch", index_of("z", "a", "m"), ["c"])
    assert path.read_bytes() == lines["z"] + lines["a"] + lines["m"]
    assert list(tmp_path.iterdir()) == [path]


def test_an_order_that_cannot_be_written_leaves_the_file(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(output_line(2) + output_line(1))
    with pytest.raises(JobError, match=r"the rows in .* have their scores, but .* in order failed: No such file"):
        put_in_order(path, tmp_path / "no folder" / "scratch", index_of("1", "2"), ["c"])
    assert path.read_bytes() == output_line(2) + output_line(1)


def test_a_line_that_does_not_fit_is_taken_back_whole(tmp_path):
    program = """if True:
        import resource, sys
        from pathlib import Path
        from rewardlab.errors import JobError
        from rewardlab.files import LineAppender
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        file = LineAppender(Path(sys.argv[1]))
        file.write(b"a" * 59 + b"\\n")
        try:
            file.write(b"b" * 59 + b"\\n")
        except JobError as error:
            print(error)
        file.write(b"c" * 39 + b"\\n")
        file.close()
    """
    path = tmp_path / "out.jsonl"
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert done.stdout == f"{path} cannot be written: File too large\n"
    assert path.read_bytes() == b"a" * 59 + b"\n" + b"c" * 39 + b"\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_a_job_error():
    file = LineAppender(Path("/dev/full"))
    with pytest.raises(JobError, match="/dev/full cannot be written: No space left on device"):
        file.write(b"a\n")
