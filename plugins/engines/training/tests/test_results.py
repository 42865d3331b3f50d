"""Results of an evaluation: means by slice, as a file and as a table."""

from collections import Counter
from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Sample, Score
from rewardlab.scoring.composition import ScoredGroup
from rewardlab_training import stratified_sample
from rewardlab_training.results import Results, Slice, summarise


def scored(totals, values=None, **fields):
    """A group whose component `a` has these values (None: failed) and which has these totals."""
    values = totals if values is None else values
    return ScoredGroup(
        sample=Sample(id="s", fields=fields),
        completions=[Completion(text="x")] * len(totals),
        components={"a": [Score(value=v, error="no" if v is None else None) for v in values]},
        totals=totals,
        shaped=[0.0] * len(totals),
    )


def test_metrics_are_named_like_those_of_a_step():
    results = summarise(
        [scored([1.0], language="de"), scored([0.5], [None], language="en")], ["language"], "1-rl after"
    )
    assert results.metrics() == {
        "reward/total": 0.75,
        "reward/a": 1.0,
        "language de/reward/total": 1.0,
        "language de/reward/a": 1.0,
        "language en/reward/total": 0.5,
    }


def test_a_component_that_gave_most_nothing_has_its_reason_below_the_table(tmp_path):
    group = replace(scored([0.0, 0.0]), components={"a": [Score(value=0.0, info={"reason": "no trace"})] * 2})
    results = summarise([group], [], "1-rl after")
    assert results.table().splitlines()[-1] == "a of 2 completions: zero 2: no trace"
    results.save(tmp_path / "after.json")
    assert Results.load(tmp_path / "after.json") == results
    assert "zero" not in summarise([scored([0.0, 0.0])], [], "1-rl after").table()


def test_rollouts_that_failed_are_counted_and_in_no_mean():
    group = replace(scored([None, 1.0]), completions=[Completion(text="", error="died"), Completion(text="")])
    results = summarise([group], (), name="x")
    whole = results.slices[0]
    assert (whole.failed, whole.empty, whole.means["total"]) == (1, 1, 1.0)
    assert "1 of 2 rollouts failed, and no mean counts them" in results.table()


class TestSlices:
    def test_are_all_prompts_and_those_that_share_a_value(self):
        groups = [
            scored([1.0, 0.0], language="de", level=2),
            scored([0.5], language="en", level=1),
            scored([0.25, 0.75], language="de"),
        ]
        results = summarise(groups, ["language", "level"], "1-rl after")
        assert results.name == "1-rl after"
        assert [(s.name, s.prompts, s.completions, s.means["total"]) for s in results.slices] == [
            ("all", 3, 5, 0.5),
            ("language de", 2, 4, 0.5),
            ("language en", 1, 1, 0.5),
            ("level 1", 1, 1, 0.5),
            ("level 2", 1, 2, 0.5),
        ]

    def test_show_what_is_not_english_where_there_are_several_languages(self):
        groups = [scored([value], language=name) for value, name in ((0.0, "en"), (0.5, "de"), (1.0, "bn"))]
        names = [s.name for s in summarise(groups, ["language"], "x").slices]
        assert names == ["all", "language bn", "language de", "language en", "all but en"]
        assert summarise(groups, ["language"], "x").slices[-1].means == {"total": 0.75, "a": 0.75}

    @given(st.lists(st.tuples(st.sampled_from("xyz"), st.lists(st.none() | st.floats(-5, 5), min_size=1)), min_size=1))
    def test_have_the_means_of_what_has_a_value(self, drawn):
        results = summarise([scored(values, kind=kind) for kind, values in drawn], ["kind"], "x")
        kinds = sorted({kind for kind, _ in drawn})
        assert [s.name for s in results.slices] == ["all", *(f"kind {kind}" for kind in kinds)]
        for found, kind in zip(results.slices, ["", *kinds], strict=True):
            columns = [values for other, values in drawn if kind in other]
            present = [value for values in columns for value in values if value is not None]
            wanted = pytest.approx(fmean(present)) if present else None
            assert found.means == {"total": wanted, "a": wanted}
            assert (found.prompts, found.completions) == (len(columns), sum(map(len, columns)))

    def test_are_the_same_after_saving_and_loading(self, tmp_path):
        results = summarise([scored([1 / 3, None], language="ไทย")], ["language"], "vorher")
        results.save(tmp_path / "r.json")
        assert Results.load(tmp_path / "r.json") == results
        assert "ไทย" in (tmp_path / "r.json").read_text(encoding="utf-8")


class TestTheTable:
    now = Results(
        name="after",
        slices=[
            Slice(name="all", prompts=12, completions=48, means={"total": 1.5, "accuracy": None}),
            Slice(name="language de", prompts=3, completions=12, means={"total": 0.125, "accuracy": 1.0}),
        ],
    )
    then = Results(
        name="before",
        slices=[Slice(name="all", prompts=12, completions=48, means={"total": 0.5, "accuracy": 0.25})],
    )

    def test_has_a_line_a_slice_and_a_column_a_component(self):
        assert self.now.table() == (
            "held-out prompts, 4 completions each\n"
            "             prompts  total  accuracy\n"
            "all          12       1.50   -\n"
            "language de  3        0.12   1.00"
        )

    def test_shows_what_was_before_also_where_there_was_or_is_no_value(self):
        assert self.now.table(self.then) == (
            "held-out prompts, 4 completions each, before -> after\n"
            "             prompts  total         accuracy\n"
            "all          12       0.50 -> 1.50  0.25 -> -\n"
            "language de  3        - -> 0.12     - -> 1.00"
        )


class TestSpread:
    @given(st.lists(st.sampled_from(["de", "en", "bn"])), st.integers(0, 12))
    def test_takes_evenly_from_each_value_and_keeps_the_order_within(self, languages, most):
        samples = [Sample(id=str(n), fields={"language": name}) for n, name in enumerate(languages)]
        taken = stratified_sample(samples, most, ["language"])
        assert len(taken) == min(most, len(samples))
        assert len(set(taken_ids := [s.id for s in taken])) == len(taken)
        there, got = Counter(languages), Counter(s.fields["language"] for s in taken)
        fair = max(got.values(), default=0)
        for name, count in there.items():
            assert got[name] >= min(count, fair - 1)
            in_order = [s.id for s in samples if s.fields["language"] == name]
            assert [i for i in taken_ids if i in in_order] == in_order[: got[name]]

    def test_of_no_limit_is_all(self):
        samples = [Sample(id=str(n)) for n in range(3)]
        assert stratified_sample(samples, None, ["language"]) == samples
        assert stratified_sample(samples, 2, ["language"]) == samples[:2]
