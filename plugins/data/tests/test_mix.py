"""data/mix: shares that hold in every stretch, and rows that are known by their part."""

import json
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from rewardlab import Context
from rewardlab.errors import UserError
from rewardlab.registry import Registry

SPEC = Registry().find("dataset", "data/mix")


@pytest.fixture
def file(tmp_path):
    """file(name, rows): a file of so many rows, or of these."""

    def write(name, rows):
        rows = (
            [{"id": number, "prompt": f"{name} {number}?"} for number in range(rows)] if isinstance(rows, int) else rows
        )
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return str(path)

    return write


def mix(seed=0, until="first_exhausted", **parts):
    return SPEC.build(SPEC.config(parts=parts, until=until), Context(seed=seed))


def ids(rows):
    return [row.id for row in rows]


def test_rows_alternate_by_their_shares_from_the_first_on(file):
    made = mix(a={"path": file("a", 9), "share": 3}, b={"path": file("b", 9), "share": 1})
    assert ids(islice(made, 8)) == ["a/0", "a/1", "b/0", "a/2", "a/3", "a/4", "b/1", "a/5"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.lists(st.floats(0.05, 20), min_size=2, max_size=5))
def test_every_stretch_has_the_shares(file, weights):
    parts = {f"p{at}": {"path": file(f"p{at}", 60), "share": weight} for at, weight in enumerate(weights)}
    taken = dict.fromkeys(parts, 0)
    for count, row in enumerate(mix(**parts), 1):
        taken[row.fields["dataset"]] += 1
        for at, name in enumerate(parts):
            assert abs(taken[name] - weights[at] / sum(weights) * count) < len(parts)


def test_it_ends_with_the_first_part_that_has_no_more(file):
    made = list(mix(a={"path": file("a", 9), "share": 1}, b={"path": file("b", 2), "share": 1}))
    assert ids(made) == ["a/0", "b/0", "a/1", "b/1", "a/2"]


def test_or_when_all_have_been_read_and_rows_that_come_again_have_other_ids(file):
    made = mix(until="all_exhausted", a={"path": file("a", 5), "share": 1}, b={"path": file("b", 2), "share": 1})
    assert ids(made) == ["a/0", "b/0", "a/1", "b/1", "a/2", "b/0#2", "a/3", "b/1#2", "a/4", "b/0#3"]
    assert ids(made) == ids(made)


def test_the_seed_changes_nothing(file):
    parts = {"a": {"path": file("a", 9), "share": 1.7}, "b": {"path": file("b", 9), "share": 0.4}}
    assert ids(mix(seed=1, **parts)) == ids(mix(seed=2, **parts))


def test_each_part_has_its_own_columns_and_makes_ids_where_there_are_none(file):
    other = file("b", [{"question": "Why?", "gold": "So."}, {"question": "Why?", "gold": "Thus."}])
    fields = {"prompt": "question", "reference": "gold"}
    made = mix(a={"path": file("a", 4), "share": 1}, b={"path": other, "share": 1, "fields": fields})
    rows = [row for row in made if row.fields["dataset"] == "b"]
    assert [(row.prompt[0]["content"], row.fields["reference"]) for row in rows] == [("Why?", "So."), ("Why?", "Thus.")]
    assert len({row.id for row in rows}) == 2
    assert all(row.id.startswith("b/") for row in rows)


def test_a_wrong_row_is_named_by_its_place(file):
    made = mix(a={"path": file("a", 4), "share": 1}, b={"path": file("b", [{"question": "Why?"}]), "share": 1})
    with pytest.raises(UserError, match=r"b\.jsonl:1: no prompt"):
        list(made)


def test_a_row_that_says_itself_where_it_is_from_is_refused(file):
    own = file("b", [{"prompt": "Why?", "dataset": "mine"}])
    with pytest.raises(UserError, match="a column 'dataset' of the row's own"):
        list(mix(a={"path": file("a", 4), "share": 1}, b={"path": own, "share": 1}))


@pytest.mark.parametrize(
    "parts",
    [
        {"a": {"path": "a.jsonl", "share": 1}},
        {"a": {"path": "a.jsonl", "share": 0}, "b": {"path": "b.jsonl", "share": 1}},
        {"a/b": {"path": "a.jsonl", "share": 1}, "b": {"path": "b.jsonl", "share": 1}},
        {"a": {"path": "a.txt", "share": 1}, "b": {"path": "b.jsonl", "share": 1}},
    ],
)
def test_options_are_checked(parts):
    with pytest.raises(ValidationError):
        SPEC.config(parts=parts)
