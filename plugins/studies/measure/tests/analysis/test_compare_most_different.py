"""The few groups that are furthest apart."""

from types import SimpleNamespace

from rewardlab_measure.compare.most_different import ComparedGroup, MostDifferent


def kept(most, *groups):
    """The names of those that are kept, of (name, distance, completions)."""
    found = MostDifferent(most)
    for name, distance, size in groups:
        measures = SimpleNamespace(distance=distance, compared=size)
        found.add(ComparedGroup(row=None, measures=measures, a={"id": name}, b={}))
    return [case.a["id"] for case in found.cases()]


def test_the_furthest_stand_first_the_larger_before_the_earlier():
    groups = [("near", 0.5, 9), ("first", 2.0, 4), ("large", 2.0, 8), ("second", 2.0, 4), ("far", 1.5, 2)]
    assert kept(9, *groups) == ["large", "first", "second", "far", "near"]
    assert kept(3, *groups) == ["large", "first", "second"]


def test_rounding_does_not_decide_between_equal_ones():
    assert kept(1, ("small", 1.0 + 4e-16, 2), ("large", 1.0, 3)) == ["large"]


def test_what_is_left_out_or_differs_by_rounding_alone_is_not_kept():
    assert kept(9, ("left out", None, 1), ("rounding", 1e-12, 4), ("small", 1e-6, 4)) == ["small"]
