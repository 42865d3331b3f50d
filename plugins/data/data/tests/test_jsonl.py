"""data/jsonl: the rows of a file as samples, and the errors about a file that is not right."""

import gzip
import json
import logging

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Context, Sample, find
from rewardlab.data import remap
from rewardlab.errors import UserError


def dataset(**options):
    spec = find("dataset", "data/jsonl")
    return spec.build(spec.config(**options), Context())


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 1, "prompt": "How many?", "answer": "4"}\n{"question": "Why?", "nr": 2}\n')
    return path


def test_a_row_is_a_sample_with_its_place(rows):
    first, second = dataset(path=str(rows))
    message = {"role": "user", "content": "How many?"}
    assert first == Sample(id="1", prompt=(message,), fields={"answer": "4"})
    assert second == Sample(fields={"question": "Why?", "nr": 2})
    assert second.source == f"{rows}:2"
    assert remap(second, {"prompt": "question", "id": "nr"}).id == "2"


def test_each_iteration_reads_the_file_anew(rows):
    samples = dataset(path=str(rows))
    assert len(list(samples)) == 2
    rows.write_text('{"prompt": "x"}\n')
    assert len(list(samples)) == 1


def test_rows_are_read_as_they_are_asked_for(rows):
    rows.write_text('{"prompt": "x"}\nbroken\n')
    assert next(iter(dataset(path=str(rows)))).prompt[0]["content"] == "x"


def test_a_path_is_relative_to_the_current_directory_or_to_home(rows, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert len(list(dataset(path="rows.jsonl"))) == 2
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir("/")
    assert len(list(dataset(path="~/rows.jsonl"))) == 2


def test_a_gzip_file_is_read_too(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"prompt": "x"}\n'))
    assert len(list(dataset(path=str(path)))) == 1


@each_case("path", ["rows.txt", "rows.xlsx", "rows", "rows.jsonl/", "rows.gz", "rows.parquet.gz"])
def test_another_kind_of_file_is_refused_before_anything_is_read(path):
    with pytest.raises(ValidationError, match=r"no known ending of rows; known are \.jsonl, \.json, \.csv, \.tsv"):
        dataset(path=path)


def test_bad_rows_stop_at_the_end_of_the_file_with_each_cause_once(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "good"}\n' + "{\n" * 30 + '{"prompt": "good"}\n')
    seen = []
    with pytest.raises(UserError) as error:
        seen.extend(dataset(path=str(path)))
    lines = str(error.value).splitlines()
    assert lines[0] == (
        f"{path}:2: the JSON is cut off at column 2; each line must be one whole JSON object (30 rows, this is "
        "the first)"
    )
    assert len(lines) == 2
    assert lines[-1].startswith(f"{path}: 30 bad rows; correct them, or leave")
    assert "skip_bad: true" in lines[-1]


def test_bad_rows_can_be_left_out_with_a_warning_that_counts_and_lists_them(tmp_path, caplog):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "good"}\n[1]\n{"prompt": "good"}\n')
    with caplog.at_level(logging.WARNING):
        samples = list(dataset(path=str(path), skip_bad=True))
    assert [sample.source for sample in samples] == [f"{path}:1", f"{path}:3"]
    (record,) = caplog.records
    assert record.getMessage().splitlines() == [
        f"{path}:2: this looks like a JSON array; write one object per line, or call the file .json",
        f"{path}: 1 bad row; left out, as `skip_bad: true` says",
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_a_file_without_rows_is_an_error(tmp_path, text):
    path = tmp_path / "rows.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"rows\.jsonl: no rows"):
        list(dataset(path=str(path)))


def test_a_file_of_bad_rows_alone_is_an_error_even_if_they_are_left_out(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps([{"prompt": "x"}], indent=1))
    with pytest.raises(UserError, match="no rows"):
        list(dataset(path=str(path), skip_bad=True))


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(UserError, match=r"none\.jsonl: no such file"):
        list(dataset(path=str(tmp_path / "none.jsonl")))


@pytest.mark.parametrize(
    ("options", "read"),
    [
        ({"first": 2}, "ab"),
        ({"skip": 1}, "bcd"),
        ({"skip": 1, "first": 2}, "bc"),
        ({"skip": 3, "first": 9}, "d"),
        ({"skip": 9}, ""),
    ],
)
def test_a_part_of_a_file(tmp_path, options, read):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f'{{"letter": "{name}", "prompt": "{name}"}}\n' for name in "abcd"))
    spec = find("dataset", "data/jsonl")
    rows = spec.build(spec.config(path=str(path), **options), Context())
    assert [row.fields["letter"] for row in rows] == list(read)


def test_rows_that_the_seed_draws_are_others_by_another_seed_and_never_twice(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f'{{"id": "{n}", "prompt": "?"}}\n' for n in range(300)))
    spec = find("dataset", "data/jsonl")

    def ids(seed, **options):
        rows = spec.build(spec.config(path=str(path), drawn=True, **options), Context(seed=seed))
        return [int(row.id) for row in rows]

    first, rest = ids(0, first=100), ids(0, skip=100)
    assert first == sorted(first) == ids(0, first=100)
    assert sorted([*first, *rest]) == list(range(300))
    assert 20 < sum(number < 100 for number in first) < 50
    assert ids(1, first=100) != first
    assert set(ids(0, first=50)) < set(first)
