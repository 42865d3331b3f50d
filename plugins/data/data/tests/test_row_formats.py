"""Rows of CSV, JSON arrays and parquet: read wherever JSON lines are, row by row, with what is wrong and where."""

import csv
import gzip
import json
import random
import sys
import tracemalloc
from contextlib import contextmanager
from datetime import date
from decimal import Decimal

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.data import read_lines
from rewardlab.errors import Problem, UserError

pyarrow = pytest.importorskip("pyarrow", reason="comes with the engine trl, which this environment lacks")


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        data = data if isinstance(data, bytes) else data.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


@pytest.fixture
def parquet(tmp_path):
    def write(columns, group=2):
        from pyarrow import parquet

        path = tmp_path / "rows.parquet"
        parquet.write_table(pyarrow.table(columns), path, row_group_size=group, compression="zstd")
        return path

    return write


@pytest.fixture
def arrow_memory():
    """Give a block after which no more than `limit` bytes may have been in pyarrow's memory at any time."""

    @contextmanager
    def watch(limit):
        before = pyarrow.default_memory_pool()
        pool = pyarrow.proxy_memory_pool(before)
        pyarrow.set_memory_pool(pool)
        try:
            yield
        finally:
            pyarrow.set_memory_pool(before)
        assert pool.max_memory() <= limit

    return watch


def told(path):
    return [(number, row.what if isinstance(row, Problem) else row) for number, row in read_lines(path)]


class TestACsv:
    def test_has_rows_of_texts_under_its_head_with_the_line_that_each_begins_in(self, write):
        path = write("rows.csv", '\ufeffprompt,answer, level \r\n"two\nlines, ""so""",007,1e5\r\n\r\nx,"[0, 1]",\r\n')
        assert told(path) == [
            (2, {"prompt": 'two\nlines, "so"', "answer": "007", "level": "1e5"}),
            (5, {"prompt": "x", "answer": "[0, 1]"}),
        ]

    def test_holds_lists_of_texts_and_objects_as_json(self, write):
        cells = ['["a", "b"]', '[{"role": "user", "content": "x"}]', '{"a": 1}', '["cut', "{1, 2}", "[[1]]", "[]"]
        rows = "".join('"' + cell.replace('"', '""') + '"\n' for cell in cells)
        assert [row["c"] for _, row in told(write("rows.csv", "c\n" + rows))] == [
            ["a", "b"],
            [{"role": "user", "content": "x"}],
            {"a": 1},
            *cells[3:],
        ]

    @pytest.mark.parametrize("name", ["rows.tsv", "ROWS.TSV.GZ", "rows.tsv.gz"])
    def test_may_be_separated_by_tabs_and_packed(self, write, name):
        path = write(name.lower(), "a\tb\n1,5\t2\n")
        assert told(path.rename(path.with_name(name))) == [(2, {"a": "1,5", "b": "2"})]

    @pytest.mark.parametrize("sign", [";", "\t", "|"])
    def test_says_by_its_head_what_separates_its_columns(self, write, sign):
        path = write("rows.csv", f'\ufeff\n"a, or so"{sign}b\n"1{sign}2"{sign}1,5\n')
        assert told(path) == [(3, {"a, or so": f"1{sign}2", "b": "1,5"})]
        assert told(write("one.csv", f'"a{sign}b"\n1\n')) == [(2, {f"a{sign}b": "1"})]

    def test_says_what_is_wrong_with_a_row_and_reads_on(self, write):
        path = write("rows.csv", b'a,b\n1\n1,2,3\n"x"y,2\n1,\xff\n1,2\n"open,2\n')
        assert told(path) == [
            (2, "1 cells, but the head has 2; quote a cell that holds a separator or a new line"),
            (3, "3 cells, but the head has 2; quote a cell that holds a separator or a new line"),
            (4, "more follows the quote that ends a cell; a quote within quotes is written twice"),
            (5, "not UTF-8: byte 0xff; save the file as UTF-8"),
            (6, {"a": "1", "b": "2"}),
            (7, "a quote is opened here and nothing closes it"),
        ]

    @pytest.mark.parametrize(
        ("head", "what"),
        [
            ("a,,b\n1,2,3\n", "column 2 of the head has no name"),
            ("a,b,a\n1,2,3\n", "the head names the column 'a' twice"),
        ],
    )
    def test_without_a_good_head_is_refused(self, write, head, what):
        with pytest.raises(UserError, match=rf"rows\.csv:1: .*{what}"):
            told(write("rows.csv", head))

    def test_of_an_open_quote_does_not_fill_the_memory(self, write, monkeypatch):
        for module in ("rewardlab.data.jsonl", "rewardlab_data.csv_rows"):
            monkeypatch.setattr(f"{module}.MAX_BYTES", 1 << 20)
        path = write("rows.csv", 'a\nx\n"open\n' + "some more text\n" * 200_000)
        with pytest.raises(UserError, match=r"rows\.csv:3: this row is longer than 1 MiB.* nothing closes"):
            told(path)

    def test_takes_cells_longer_than_the_library_does(self, write):
        assert told(write("rows.csv", f"a\n{'x' * 200_000}\n"))[0][1]["a"] == "x" * 200_000

    @given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=5))
    def test_gives_back_any_texts(self, tmp_path, texts):
        path = tmp_path / "any.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["id", "text"], *([f"{n}", text] for n, text in enumerate(texts))])
        found = [row["text"] for _, row in read_lines(path)]
        assert [value if isinstance(value, str) else json.dumps(value) for value in found] == [
            text if isinstance(value, str) else json.dumps(json.loads(text))
            for text, value in zip(texts, found, strict=True)
        ]


class TestAJsonArray:
    @pytest.mark.parametrize("name", ["rows.json", "rows.json.gz"])
    @pytest.mark.parametrize("indent", [None, 2])
    def test_has_its_objects_as_rows(self, write, name, indent):
        rows = [{"a": 1, "t": 'brackets ]}[{, and "quotes\\"'}, {"a": [{"b": {}}], "t": "é\\"}, {}]
        assert told(write(name, json.dumps(rows, indent=indent))) == [*enumerate(rows, 1)]
        assert told(write(name, " \n[ ]\n")) == []

    def test_may_be_lines_after_all(self, write):
        assert told(write("rows.json", '{"a": 1}\n\n{"a": 2}\n')) == [(1, {"a": 1}), (3, {"a": 2})]

    def test_says_what_is_wrong_with_a_row_and_reads_on(self, write):
        path = write("rows.json", '[{"a": 1}, 5, {"a": NaN}, , {"a" 1}, {"a": 2}]')
        assert told(path) == [
            (1, {"a": 1}),
            (2, "found the number 5; each line must be one JSON object"),
            (3, "NaN is not a JSON number; write null if there is no value"),
            (4, "there is nothing between two commas; leave one out"),
            (5, "not JSON: expecting ':' delimiter at column 7"),
            (6, {"a": 2}),
        ]

    @each_case(
        "text, what",
        [
            ('[{"a": 1}, {"a": 2', "rows.json:2: the array ends in the middle, after 1 whole rows"),
            ("[", "rows.json:1: the array ends in the middle, after 0 whole rows"),
            ('[{"a": 1}] {"a": 2}', "rows.json:1: more follows the end of the array"),
            ('[{"a": 1}]]', "rows.json:1: more follows the end of the array"),
        ],
    )
    def test_that_does_not_end_where_it_should_is_refused(self, write, text, what):
        with pytest.raises(UserError, match=what):
            told(write("rows.json", text))

    def test_is_the_same_wherever_its_blocks_end(self, write, monkeypatch):
        rows = [{"t": "\\" * n + '"' * (n % 3) + "é", "n": [n]} for n in range(9)]
        path = write("rows.json", json.dumps(rows))
        for size in (1, 2, 3, 7):
            monkeypatch.setattr("rewardlab_data.json_array.BLOCK", size)
            assert [row for _, row in read_lines(path)] == rows


class TestParquet:
    def test_has_rows_with_what_json_knows(self, parquet):
        path = parquet(
            {
                "prompt": ["a", "b", None],
                "level": [1.5, float("nan"), 3.0],
                "completions": [["x", "y"], [], None],
                "more": [{"role": "user", "name": None}, {"role": None, "name": "n"}, None],
                "day": [date(2026, 1, 2), None, None],
                "cost": [Decimal("1.50"), None, None],
                "good": [True, None, False],
            }
        )
        assert told(path) == [
            (
                1,
                {
                    "prompt": "a",
                    "level": 1.5,
                    "completions": ["x", "y"],
                    "more": {"role": "user"},
                    "day": "2026-01-02",
                    "cost": "1.50",
                    "good": True,
                },
            ),
            (2, {"prompt": "b", "completions": [], "more": {"name": "n"}}),
            (3, {"level": 3.0, "good": False}),
        ]

    def test_says_what_is_wrong_with_a_row(self, parquet):
        path = parquet({"a": [1.0, float("inf")], "b": [None, None], "c": [b"x", None]})
        assert told(path) == [
            (1, "the column 'c' holds bytes, which is not a text, number, list or object"),
            (2, "the column 'a' holds an infinite number"),
        ]

    @pytest.mark.parametrize(
        ("values", "what"),
        [
            (
                pyarrow.Array.from_buffers(pyarrow.string(), 3, pyarrow.array([b"ok", b"\xff", b"ok"]).buffers()),
                "not UTF-8",
            ),
            (pyarrow.array([1, 2**30, 2], pyarrow.date32()), "holds what cannot be read"),
            (pyarrow.array([1, 2**62, 2], pyarrow.timestamp("us")), "holds what cannot be read"),
        ],
        ids=["bytes", "day", "time"],
    )
    def test_says_which_row_holds_what_python_cannot_read(self, parquet, values, what):
        path = parquet({"a": values, "b": ["x", "y", "z"]})
        first, (number, problem), last = read_lines(path)
        assert (first[1]["b"], number, last[1]["b"]) == ("x", 2, "z")
        assert problem.where == f"{path}:2"
        assert "the column 'a'" in problem.what
        assert what in problem.what

    def test_has_no_row_longer_than_a_line_may_be(self, parquet, monkeypatch):
        monkeypatch.setattr("rewardlab_data.parquet.MAX_BYTES", 1 << 20)
        found = told(parquet({"id": ["a", "b", "c"], "text": ["x", "x" * (1 << 20), "y"]}))
        assert (found[0], found[2]) == ((1, {"id": "a", "text": "x"}), (3, {"id": "c", "text": "y"}))
        assert found[1][0] == 2
        assert "the limit for a row" in found[1][1]

    def test_with_a_long_text_of_many_rows_has_it_in_memory_once_at_a_time(self, tmp_path):
        from pyarrow import parquet

        text = pyarrow.array(["x" * (2 << 20)]).dictionary_encode().take(pyarrow.array([0] * 64))
        parquet.write_table(pyarrow.table({"text": text}), tmp_path / "rows.parquet")
        tracemalloc.start()
        assert sum(len(row["text"]) for _, row in read_lines(tmp_path / "rows.parquet")) == 64 * (2 << 20)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 16 << 20

    def test_with_two_columns_of_one_name_is_refused(self, tmp_path):
        from pyarrow import parquet

        columns = [pyarrow.array(["a"]), pyarrow.array(["b"])]
        parquet.write_table(pyarrow.Table.from_arrays(columns, names=["p", "p"]), tmp_path / "rows.parquet")
        with pytest.raises(UserError, match=r"rows\.parquet: two columns are called 'p'; rename one"):
            told(tmp_path / "rows.parquet")

    @pytest.mark.parametrize(
        "texts",
        [["x" * (5 << 20)], [f"{n}" + "x" * (1 << 20) for n in range(9)]],
        ids=["one row that is too long", "rows that are short enough"],
    )
    def test_that_unpacks_to_too_much_is_refused_by_its_footer(self, parquet, arrow_memory, monkeypatch, texts):
        monkeypatch.setattr("rewardlab_data.parquet.MAX_BYTES", 4 << 20)
        monkeypatch.setattr("rewardlab_data.parquet.MAX_PART", 8 << 20)
        path = parquet({"text": texts}, group=100)
        assert path.stat().st_size < 20_000
        with (
            arrow_memory(limit=1 << 20),
            pytest.raises(UserError, match=r"rows\.parquet: the column 'text' unpacks from [\d,]+ bytes to \d+ MB"),
        ):
            read_lines(path)

    @pytest.mark.slow
    def test_has_no_row_whose_texts_are_all_one_text_of_a_dictionary(self, parquet, arrow_memory, monkeypatch):
        monkeypatch.setattr("rewardlab_data.parquet.MAX_COPIES", 1 << 26)
        path = parquet({"id": ["a", "b"], "texts": [["x" * (1 << 20)] * 80, ["y"]]})
        assert path.stat().st_size < 20_000
        with arrow_memory(limit=16 << 20):
            (_, first), (_, second) = read_lines(path)
        assert "this row is longer than 64 MiB" in first.what
        assert second == {"id": "b", "texts": ["y"]}

    def test_that_is_none_or_is_damaged_is_refused(self, write, parquet):
        with pytest.raises(UserError, match=r"rows\.parquet: this is not a parquet file"):
            told(write("rows.parquet", b"PAR1 no"))
        path = parquet({"a": [random.Random(0).randbytes(1000).hex() for _ in range(100)]})
        data = bytearray(path.read_bytes())
        data[4:400] = b"\xff" * 396
        with pytest.raises(UserError, match=r"rows\.parquet:1: cannot be read"):
            told(write("rows.parquet", bytes(data)))
        with pytest.raises(UserError, match="parquet is packed already"):
            told(write("rows.parquet.gz", b""))

    def test_without_pyarrow_says_how_to_install_it(self, parquet, monkeypatch):
        path = parquet({"a": [1]})
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(UserError, match=r"need the library pyarrow; pip install pyarrow"):
            told(path)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_a_name_without_end_does_not_fill_the_message(write, name):
    key = "k" * 10**6
    text = json.dumps({key: 1})[:-1] + f', "{key}": 2}}' if name == "rows.jsonl" else f"{key},{key}\n1,2\n"
    try:
        [(_, what)] = told(write(name, text))
    except UserError as error:
        what = str(error)
    assert f"'{'k' * 80}'..." in what
    assert len(what) < 500


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz", "rows.json.gz"])
def test_a_row_that_no_memory_holds_is_told_and_the_next_is_read(write, monkeypatch, name):
    for module in ("rewardlab.data.jsonl", "rewardlab_data.json_array"):
        monkeypatch.setattr(f"{module}.MAX_BYTES", 1 << 20)
    array = ".json." in name
    rows = ['{"a": 1}', json.dumps({"a": "x" * (20 << 20)}), '{"a": 2}']
    path = write(name, f"[{','.join(rows)}]" if array else "\n".join(rows))
    del rows
    tracemalloc.start()
    (_, first), (number, problem), (_, last) = read_lines(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (first, number, last) == ({"a": 1}, 2, {"a": 2})
    assert f"{'item' if array else 'line'} is longer than 1 MiB, the limit for a row" in problem.what
    assert most < 5 << 20


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["json", "csv", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path, parquet, ending):
    def peak(count):
        rows = [{"id": f"{n}", "text": "x" * 5_000} for n in range(count)]
        path = tmp_path / f"rows.{ending}"
        if ending == "json":
            path.write_text(json.dumps(rows))
        elif ending == "csv":
            path.write_text("id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in rows))
        else:
            parquet({name: [row[name] for row in rows] for name in ("id", "text")})
        tracemalloc.start()
        assert sum(1 for _ in read_lines(path)) == count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(1_600) < peak(400) + 100_000
