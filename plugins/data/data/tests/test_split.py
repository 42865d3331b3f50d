"""data/split: disjoint parts with their shares, whatever the other rows are."""

from collections import Counter

import pytest
from pydantic import ValidationError
from rewardlab import Context, Sample, find
from rewardlab.errors import UserError

SPEC = find("dataset", "data/split")
ROWS = [
    Sample(id=f"r{n}", prompt=({"role": "user", "content": f"q{n}"},), fields={"problem": n // 2}) for n in range(4000)
]

FIRST = ["r4", "r5", "r9"]


def split(rows=ROWS, **options):
    options = {"parts": {"sft": 30, "rl": 70}, "keep": "sft", **options}
    return list(SPEC.build(SPEC.config(**options), Context(source=rows)))


def ids(rows):
    return [row.id for row in rows]


@pytest.mark.parametrize("by", ["id", "prompt", "problem"])
def test_the_parts_are_disjoint_complete_and_have_their_shares(by):
    sft, rl = split(by=by), split(by=by, keep="rl")
    assert Counter(ids(sft)) + Counter(ids(rl)) == Counter(ids(ROWS))
    assert set(ids(sft)) & set(ids(rl)) == set()
    assert len(sft) / len(ROWS) == pytest.approx(0.3, abs=0.03)
    kept = {*ids(sft)}
    assert ids(sft) == [row.id for row in ROWS if row.id in kept]


def test_other_rows_move_none_and_another_seed_splits_otherwise():
    assert ids(split(ROWS[::3])) == [name for name in ids(split()) if int(name[1:]) % 3 == 0]
    assert ids(split(seed=1)) != ids(split())
    assert ids(split(ROWS[:40])) == ids(list(SPEC.build(SPEC.config(parts={"sft": 3, "rl": 7}, keep="sft"),
                                                        Context(source=ROWS[:40], seed=9))))  # fmt: skip


def test_rows_that_share_a_value_stay_together():
    kept = Counter(row.fields["problem"] for row in split(by="problem"))
    assert set(kept.values()) == {2}


def test_the_first_parts_never_change():
    """The bytes that the hash reads are part of the interface: a split of last year is that of today."""
    assert ids(split(ROWS[:12])) == FIRST


def test_what_is_wrong_is_named():
    for options in ({"keep": "test"}, {"parts": {"sft": 1}}, {"parts": {"sft": 0, "rl": 1}}, {"by": ""}):
        with pytest.raises(ValidationError):
            split(**options)
    with pytest.raises(UserError, match=r"'r0' \(rows.jsonl:1\): field 'group': missing"):
        split([Sample(id="r0", source="rows.jsonl:1")], by="group")
    assert SPEC.required_fields(SPEC.config(parts={"a": 1, "b": 1}, keep="a", by="group")) == ("group",)
    assert SPEC.required_fields(SPEC.config(parts={"a": 1, "b": 1}, keep="a")) == ()
