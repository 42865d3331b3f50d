"""Scores that are there, found by the id of their row."""

import json

import pytest
from helpers.each_case import each_case
from rewardlab.errors import JobError, UserError
from rewardlab_measure.compare.scored_file import ScoredFile


def line(row_id, *total):
    return {
        "id": row_id,
        "total": list(total),
        "shaped": [0.0] * len(total),
        "components": {"x": {"value": list(total), "error": [None] * len(total), "info": [{}] * len(total)}},
    }


def test_rows_are_found_by_their_id_in_any_order(write):
    file = ScoredFile(str(write("s.jsonl", [line("b", 1, None), line(7, 2, 3, 4)])))
    assert list(file.ids()) == ["b", "7"]
    assert (file.size("7"), file.size("b"), file.size("c")) == (3, 2, None)
    assert file.read("7")["total"] == [2, 3, 4]
    assert file.read("b")["total"] == [1, None]
    assert file.place("7").endswith("s.jsonl:2")
    assert (list(file.components), len(file), "b" in file, "c" in file) == (["x"], 2, True, False)


def test_blank_lines_and_a_byte_order_mark_move_nothing(write):
    texts = [json.dumps(line(name, number)) for number, name in enumerate("äö")]
    path = write("s.jsonl", "\ufeff" + texts[0] + "\n\n" + texts[1] + "\n")
    file = ScoredFile(str(path))
    assert [file.read(name)["total"] for name in "äö"] == [[0], [1]]
    assert file.place("ö").endswith(":3")


@each_case(
    "change, why",
    [
        ({"total": ["1"]}, "total: expected a number or null, found a text"),
        ({"total": [10**400]}, "total: expected a number or null, found the number 1000"),
        ({"total": []}, "total is empty"),
        ({"shaped": [None]}, "shaped holds null"),
        ({"id": 1.5}, "the id must be a whole number or a text, not the number 1.5"),
        ({"components": {"x": [1]}}, "components must be an object of objects"),
        ({"total": [1, 2]}, "shaped has 1 entries for 2 totals"),
    ],
)
def test_what_score_does_not_write_is_refused(write, change, why):
    path = write("s.jsonl", [line("a", 1) | change])
    with pytest.raises(UserError, match=f"s.jsonl:1: this is not a line that `rewardlab score` wrote: {why}"):
        ScoredFile(str(path))


def test_an_id_that_is_there_twice_is_refused(write):
    path = write("s.jsonl", [line("1", 1), line(1, 2)])
    with pytest.raises(UserError, match=r"s.jsonl:2: the id '1' is already used by .*s.jsonl:1"):
        ScoredFile(str(path))


def test_a_file_without_rows_and_a_packed_one_are_refused(write):
    with pytest.raises(UserError, match="it has no rows"):
        ScoredFile(str(write("s.jsonl", "")))
    with pytest.raises(UserError, match="unpack this file first"):
        ScoredFile(str(write("s.jsonl.gz", "")))


def test_a_file_that_changes_meanwhile_is_told(write):
    path = write("s.jsonl", [line("a", 1), line("b", 2)])
    file = ScoredFile(str(path))
    write("s.jsonl", [line("b", 2), line("a", 1)])
    with pytest.raises(JobError, match=r"s.jsonl:2: the file changed while it was read"):
        file.read("b")
    for changed in (line("a", 1, 2), [1], {"id": "a", "total": [1]}, "{"):
        write("s.jsonl", changed if isinstance(changed, str) else [changed])
        with pytest.raises(JobError, match=r"s.jsonl:1: the file changed while it was read"):
            file.read("a")


def test_its_components_are_those_of_its_first_row(write):
    other = line("b", 1) | {"components": {}}
    assert ScoredFile(str(write("s.jsonl", [line("a", 1), other]))).components == ["x"]
