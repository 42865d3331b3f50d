"""Reading JSON lines: every line is a row or a problem with its place."""

import gzip
import json
import os
import tracemalloc

import pytest
from helpers.each_case import each_case
from hypothesis import assume, given
from hypothesis import strategies as st
from rewardlab.data.jsonl import MAX_LISTED, BadRows, kind_of
from rewardlab.data.row_file import CONTENTS, read_lines
from rewardlab.errors import Problem, UserError


@pytest.fixture
def write(tmp_path):
    def write(data):
        path = tmp_path / "rows.jsonl"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def only(path):
    (found,) = read_lines(path)
    return found


def test_rows_come_with_their_line_numbers_and_blank_lines_are_skipped(write):
    path = write('{"a": 1}\n\n  \r\n{"a": 2}\r\n{"a": "no newline at the end"}')
    assert list(read_lines(path)) == [(1, {"a": 1}), (4, {"a": 2}), (5, {"a": "no newline at the end"})]


def test_only_a_newline_ends_a_line(write):
    text = "one\u2028line\u0085still\x0c"
    assert only(write(json.dumps({"a": text.strip("\x0c")}, ensure_ascii=False)))[1] == {"a": text[:-1]}


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf", b"", b"\n \n"], ids=["mark only", "empty", "blank"])
def test_a_file_without_rows_gives_none(write, data):
    assert list(read_lines(write(data))) == []


def test_a_byte_order_mark_is_accepted(write):
    assert only(write(b'\xef\xbb\xbf{"a": "\xc3\xa9"}\n')) == (1, {"a": "é"})


def test_a_row_may_hold_any_whole_number(write):
    assert only(write('{"a": 123456789012345678901234567890}')) == (1, {"a": 123456789012345678901234567890})


def test_a_row_of_many_values_is_refused_before_they_are_made(write):
    path = write('{"a": [' + "[]," * 2_100_000 + "[]]}")
    tracemalloc.start()
    (_, problem) = only(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problem.what == "this row has more than 4,194,304 values, the limit for a row; is it one row?"
    assert most < 32 << 20


BROKEN = {
    '{"a": "cut': "the JSON is cut off at column 11",
    '{"a": 1,': "the JSON is cut off at column 9",
    "{": "the JSON is cut off at column 2",
    "[": "this looks like a JSON array; write one object per line, or call the file .json",
    ' [{"a": 1}, {"a": 2}]': "this looks like a JSON array; write one object per line, or call the file .json",
    '{"a": 1} {"a": 2}': "more follows the JSON value at column 10; each line must",
    "12": "found the number 12; each line must be one JSON object",
    '"text"': "found a text; each line must be one JSON object",
    "null": "found null; each line must be one JSON object",
    '{"a": NaN}': "NaN is not a JSON number",
    '{"a": [-Infinity]}': "-Infinity is not a JSON number",
    '{"a": 1e999}': "the number 1e999 is too large",
    '{"a": 1, "b": {"c": 1, "c": 2}}': "the key 'c' appears twice in one object",
    '{"a": "\\ud83d"}': "a text holds \\ud83d, half of a surrogate pair",
    '{"a": "tab\there"}': "not JSON: invalid control character at column 11",
    "{'a': 1}": "enclosed in double quotes at column 2; this is Python's notation, and json.dumps writes JSON",
    '{"a": None}': "not JSON: expecting value at column 7; this is Python's notation, and json.dumps writes JSON",
    '{"a": True}': "not JSON: expecting value at column 7; this is Python's notation, and json.dumps writes JSON",
    "prompt,answer": "not JSON: expecting value at column 1",
    '{"a": ' + "[" * 100_000: "nested too deeply",
    '{"a": ' + "1" * 5000 + "}": "4300 digits",
}


@each_case("line", BROKEN)
def test_a_line_that_is_no_row_is_a_problem_that_says_where_and_what(write, line):
    path = write('{"good": 1}\n' + line + '\n{"good": 2}\n')
    good, (number, problem), after = read_lines(path)
    assert (good, after) == ((1, {"good": 1}), (3, {"good": 2}))
    assert number == 2
    assert problem.where == f"{path}:2"
    assert BROKEN[line] in problem.what
    assert "\n" not in problem.what


def test_a_whole_surrogate_pair_is_a_character(write):
    assert only(write('{"a": "\\ud83d\\ude00"}'))[1] == {"a": "😀"}


def test_bytes_that_are_no_utf8_are_a_problem(write):
    number, problem = only(write(b'{"a": "\xe9"}\n'))
    assert number == 1
    assert problem.what == "not UTF-8: byte 0xe9 at position 8; save the file as UTF-8"


def test_a_gzip_file_is_unpacked(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n{"a": 2}\n'))
    assert [row for _, row in read_lines(path)] == [{"a": 1}, {"a": 2}]


CONTENT = {
    ("rows.jsonl", gzip.compress(b"{}")): "it is compressed with gzip; call it rows.jsonl.gz",
    ("rows.csv", gzip.compress(b"a,b")): "it is compressed with gzip; call it rows.csv.gz",
    ("rows.jsonl", bytes.fromhex("28b52ffd00")): "it is compressed with zstd; decompress it",
    ("rows.csv", b"PK\x03\x04..."): "it is a zip archive, as of a spreadsheet; unpack it, or save it as CSV",
    ("rows.json", b"PAR1..."): "it is parquet; call it rows.json.parquet",
    ("rows.jsonl", '{"a": 1}'.encode("utf-16")): "it is UTF-16; save the file as UTF-8",
    ("rows.txt", b"\xfe\xff\x00{"): "it is UTF-16; save the file as UTF-8",
    ("recipe.yaml", b"version: 1"): "this is a recipe, or other YAML; name a file of rows",
    ("recipe.YML", b""): "this is a recipe, or other YAML; name a file of rows",
}


def test_a_file_that_is_no_text_says_what_it_is(tmp_path):
    for (name, data), what in CONTENT.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UserError) as error:
            list(read_lines(tmp_path / name))
        assert [problem.what for problem in error.value.problems] == [what], name


def test_a_damaged_gzip_file_is_an_error_with_its_place(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(os.urandom(50_000).hex().encode())[:-30])
    with pytest.raises(UserError, match=r"rows\.jsonl\.gz:1: cannot be read: Compressed file ended"):
        list(read_lines(path))
    path.write_bytes(b'{"a": 1}\n')
    with pytest.raises(UserError, match="Not a gzipped file"):
        list(read_lines(path))


def test_a_file_that_cannot_be_opened_is_an_error_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=rf"^none\.jsonl: no such file in {tmp_path}$"):
        read_lines("none.jsonl")
    (tmp_path / "nine.jsonl").write_text("")
    with pytest.raises(UserError, match=rf"^none\.jsonl: no such file in {tmp_path}; did you mean 'nine.jsonl'\?$"):
        read_lines("none.jsonl")
    with pytest.raises(UserError, match=rf"^{tmp_path}/nin\.jsonl: no such file; did you mean 'nine.jsonl'\?$"):
        read_lines(tmp_path / "nin.jsonl")
    with pytest.raises(UserError, match="this is a folder"):
        read_lines(tmp_path)
    with pytest.raises(UserError, match="cannot be opened: embedded null byte"):
        read_lines("rows\0.jsonl")
    with pytest.raises(UserError, match="cannot be opened: Not a directory"):
        read_lines(f"{__file__}/rows.jsonl")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_reading_streams(tmp_path, name):
    row = b'{"prompt": "%s", "completions": ["a", "b"]}\n' % (b"word " * 400)
    data = row * 5_000
    (tmp_path / name).write_bytes(gzip.compress(data, 1) if name.endswith("gz") else data)
    tracemalloc.start()
    try:
        count = sum(isinstance(found, dict) for _, found in read_lines(tmp_path / name))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 5_000
    assert peak < len(data) / 20


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(rows=st.lists(st.dictionaries(st.text(), json_values, max_size=4), max_size=4), ascii=st.booleans())
def test_what_was_written_is_read(write, rows, ascii):
    path = write("".join(json.dumps(row, ensure_ascii=ascii) + "\n" for row in rows))
    assert list(read_lines(path)) == list(enumerate(rows, 1))


fragments = st.sampled_from([b'{"a": ', b"{", b"}", b"[", b'"', b"\n", b"1e999", b"NaN", b"\\ud800", b",", b":"])


@given(data=st.binary(max_size=60) | st.lists(fragments | st.binary(max_size=3), max_size=12).map(b"".join))
def test_any_bytes_are_rows_or_problems_with_their_place(write, data):
    assume(not data.startswith(tuple(CONTENTS)))
    path = write(data)
    numbers = []
    for number, found in read_lines(path):
        numbers.append(number)
        if isinstance(found, Problem):
            assert found.where == f"{path}:{number}"
            assert found.what
        else:
            json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert numbers == [number for number, line in enumerate(lines, 1) if line.strip()]


def test_bad_rows_are_counted_and_the_first_twenty_causes_listed():
    bad = BadRows()
    for number in range(1, MAX_LISTED + 6):
        bad.add(Problem(where=f"rows.jsonl:{number}", what=f"broken {number}"))
    text = str(bad.error("rows.jsonl", "correct them")).splitlines()
    assert text[:2] == ["rows.jsonl:1: broken 1", "rows.jsonl:2: broken 2"]
    assert text[MAX_LISTED:] == ["rows.jsonl: 25 bad rows, the first 20 causes are listed; correct them"]


def test_one_cause_is_told_once_with_the_number_of_its_rows():
    bad = BadRows()
    for number in range(1, 1001):
        bad.add(Problem(where=f"rows.jsonl:{number}", what="no prompt" if number != 7 else "cut off"))
    assert str(bad.error("rows.jsonl", "go")).splitlines() == [
        "rows.jsonl:1: no prompt (999 rows, this is the first)",
        "rows.jsonl:7: cut off",
        "rows.jsonl: 1000 bad rows; go",
    ]


def test_one_bad_row_is_one():
    bad = BadRows()
    bad.add(Problem(where="rows.jsonl:3", what="broken"))
    assert str(bad.error("rows.jsonl", "go")) == "rows.jsonl:3: broken\nrows.jsonl: 1 bad row; go"


def test_values_are_called_what_people_call_them():
    values = [None, True, 3, 1.5, "x", [1], (1,), {"a": 1}, {1}]
    names = "null true|the number 3|the number 1.5|a text|a list|a list|an object|a set"
    assert [kind_of(value) for value in values] == names.replace(" ", "|", 1).split("|")
