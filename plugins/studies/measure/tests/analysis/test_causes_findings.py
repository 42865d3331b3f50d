"""Over groups: who moved the reward, and what is odd: dead, still, dominating and duplicate components."""

import random

import pytest
from helpers.each_case import each_case
from rewardlab_measure.causes.movement import MIN_GROUPS, GroupRecord, Movement, findings_of

GROUPS = 20


def record(contributions, values=None, uses=None, rest=None):
    values = contributions if values is None else contributions | values
    uses = uses or {name: {"weight": 1} for name in contributions}
    size = len(next(iter(contributions.values())))
    return GroupRecord(
        contributions=contributions, values=values, uses=uses, rest=[0.0] * size if rest is None else rest
    )


def movement_of(*records):
    movement = Movement()
    for one in records:
        movement.add(one)
    return movement


def found(*records):
    return [(finding.kind, finding.components) for finding in findings_of(movement_of(*records))]


def noise(number, start=0):
    """G = 4 values that vary in every group and follow nothing."""
    draw = random.Random(f"{number} {start}")
    return [draw.random() for _ in range(4)]


def groups(count=GROUPS, **columns):
    """Groups in which a column is noise where it is None, and else what its function makes of the number."""
    made = []
    for number in range(count):
        given = {name: noise(number, name) if column is None else column(number) for name, column in columns.items()}
        made.append(record(given))
    return made


def test_a_reward_with_nothing_odd_has_no_findings():
    assert found(*groups(a=None, b=None)) == []


class TestIdle:
    def gated(self, count=GROUPS, shuts_something=0):
        """Groups in which the gate f is shut where a is 0 already, but for the first `shuts_something` of them."""
        made = []
        for number in range(count):
            gate, taken = [1.0, 0.0, 1.0, 0.0], [0.0, -0.5 if number < shuts_something else 0.0, 0.0, 0.0]
            uses = {"a": {"weight": 1}, "f": {"gate": 1}}
            made.append(record({"a": [number + 1.0, 0.0, 0.5, 0.0], "f": taken}, {"f": gate}, uses))
        return made

    def test_is_a_gate_that_shuts_only_what_is_worth_nothing(self):
        made = self.gated()
        assert ("idle", ("f",)) in found(*made)
        assert "dead" not in dict(found(*made))
        (finding,) = (one for one in findings_of(movement_of(*made)) if one.kind == "idle")
        assert finding.what == (
            "f takes nothing away in every one of 20 groups: what it shuts is worth nothing already; it guards, and "
            "adds nothing"
        )
        assert finding.amount == 1.0

    def test_is_said_of_nearly_all_groups_too(self):
        kinds = dict(found(*self.gated(shuts_something=1)))
        assert "idle" in kinds
        assert "still" not in kinds

    def test_is_not_a_gate_that_shuts_something(self):
        assert "idle" not in dict(found(*self.gated(shuts_something=10)))

    def test_is_no_gate_that_all_pass(self):
        uses = {"a": {"weight": 1}, "f": {"gate": 1}}
        made = [record({"a": noise(n), "f": [0.0] * 4}, {"f": [1.0] * 4}, uses) for n in range(GROUPS)]
        assert found(*made) == [("dead", ("f",))]


class TestDead:
    def test_is_what_contributes_the_same_inside_of_every_group(self):
        made = groups(a=None, b=lambda number: [number / 7] * 4)
        assert found(*made) == [("dead", ("b",))]
        [finding] = findings_of(movement_of(*made))
        assert (finding.amount, finding.groups) == (1.0, GROUPS)
        assert "b is the same for all completions of a prompt in every one of 20 groups: it is dead" in finding.what

    def test_is_not_said_of_too_few_groups(self):
        assert found(*groups(MIN_GROUPS, a=None, b=lambda number: [0.5] * 4)) == [("dead", ("b",))]
        assert found(*groups(MIN_GROUPS - 1, a=None, b=lambda number: [0.5] * 4)) == []
        single = groups(GROUPS, a=lambda number: [0.5], b=lambda number: [0.5])
        assert found(*single) == []

    def test_may_say_different_things_that_change_nothing(self):
        made = [record({"a": noise(n), "f": [0.0] * 4}, {"f": noise(n, "f")}) for n in range(GROUPS)]
        assert found(*made) == [("dead", ("f",))]

    def test_may_be_a_gate_that_is_as_far_open_for_all(self):
        made = [
            record({"a": noise(n), "f": [-value / 2 for value in noise(n)]}, {"f": [0.5] * 4}) for n in range(GROUPS)
        ]
        assert found(*made) == [("dead", ("f",))]
        filled = [record(dict(one.contributions), {"f": [None] * 4}) for one in made]  # what stood in may differ
        assert found(*filled) == []

    def test_does_not_count_completions_that_no_component_decided(self):
        made = [record({"a": [0.5, None, 0.5], "b": noise(n)[:3]}) for n in range(GROUPS)]
        assert found(*made) == [("dead", ("a",))]
        made = [record({"a": [0.5, None, None], "b": noise(n)[:3]}) for n in range(GROUPS)]
        assert found(*made) == []
        half_open = {"a": noise(1), "f": [-0.1, -0.2, -0.3, None]}
        assert found(*[record(half_open, {"f": [0.5, 0.5, 0.5, 1.0]})] * GROUPS) == [("dead", ("f",))]

    def test_takes_rounding_for_none(self):
        made = groups(a=None, b=lambda number: [0.1 + 0.2, 0.3, 0.3, 0.3])
        assert found(*made) == [("dead", ("b",))]
        assert found(*groups(a=None, b=lambda number: [0.3 + 1e-9, 0.3, 0.3, 0.3])) == [("dominating", ("a",))]

    def test_for_most_groups_is_still(self):
        made = groups(a=None, b=lambda number: [number == 3, 0, 0, 0])
        assert found(*made) == [("still", ("b",))]
        [finding] = findings_of(movement_of(*made))
        assert finding.amount == 0.95
        assert "19 of 20 groups (95.0%)" in finding.what
        assert found(*groups(a=None, b=lambda number: [number < 2, 0, 0, 0])) == []

    def test_is_not_said_of_what_is_only_logged(self):
        made = [record({"a": noise(n)}, {"seen": [1.0] * 4}) for n in range(GROUPS)]
        assert found(*made) == []
        assert movement_of(*made).logged == {"seen": None}


class TestDominating:
    def test_is_what_makes_nearly_all_of_the_movement(self):
        small = lambda number: [value / 50 for value in noise(number, "b")]  # noqa: E731
        made = groups(a=None, b=small)
        assert found(*made) == [("dominating", ("a",))]
        assert movement_of(*made).share("a") == pytest.approx(1, abs=0.01)

    @pytest.mark.parametrize(("others", "told"), [(3.1, []), (2.9, [("dominating", ("a",))])])
    def test_is_more_than_nine_tenths_of_it(self, others, told):
        made = groups(MIN_GROUPS, a=lambda number: [9, 0, 9, 0], b=lambda number: [others, others, 0, 0])
        assert found(*made) == told

    def test_says_how_many_others_there_are(self):
        small = lambda number: [value / 100 for value in noise(number, "b")]  # noqa: E731
        other = lambda number: [value / 100 for value in noise(number, "c")]  # noqa: E731
        [finding] = findings_of(movement_of(*groups(a=None, b=small, c=other, dead=lambda number: [0.0] * 4)))[1:]
        assert finding.what.endswith("of the reward's variance; the 2 others hardly count")

    def test_is_not_said_of_what_stands_beside_two_that_cancel_out(self):
        made = groups(a=lambda number: [9, 0, 9, 0], b=lambda number: [9, 9, 0, 0], c=lambda number: [-9, -9, 0, 0])
        assert movement_of(*made).share("a") == 1
        assert "dominating" not in dict(found(*made))

    def test_is_not_said_of_the_only_component(self):
        assert found(*groups(a=None)) == []

    def test_is_not_said_of_what_stands_beside_dead_ones_alone(self):
        still = {"b": lambda number: [0.0] * 4, "c": lambda number: [1.0] * 4}
        assert found(*groups(a=None, **still)) == [("dead", ("b",)), ("dead", ("c",))]
        still["c"] = lambda number: [0.9 + 0.1 * (number < 3), 0.9, 0.9, 0.9]
        made = groups(a=None, **still)
        assert found(*made) == [("dead", ("b",)), ("dominating", ("a",))]
        assert findings_of(movement_of(*made))[-1].what.endswith(
            "of the reward's variance; the other one hardly counts"
        )

    def test_does_not_count_differences_between_groups(self):
        made = groups(a=lambda number: [100 * number + value for value in noise(number)], b=None)
        assert movement_of(*made).share("a") == pytest.approx(0.5, abs=0.1)


class TestDuplicate:
    def test_is_what_says_the_same_inside_of_groups_whatever_its_scale(self):
        made = groups(a=None, b=lambda number: [3 * value + number for value in noise(number, "a")], c=None)
        assert found(*made) == [("duplicate", ("a", "b"))]
        assert findings_of(movement_of(*made))[0].amount == pytest.approx(1)

    def test_may_be_the_opposite(self):
        made = groups(a=None, b=lambda number: [-value for value in noise(number, "a")])
        assert found(*made) == [("duplicate", ("a", "b"))]
        assert "opposite" in findings_of(movement_of(*made))[0].what

    @each_case("correlation, told", [(0.995, True), (0.985, False), (-0.995, True), (-0.985, False)])
    def test_is_from_a_correlation_of_99_hundredths_on(self, correlation, told):
        other = (1 - correlation**2) ** 0.5
        mixed = [correlation, -correlation, other, -other]
        made = groups(a=lambda number: [1.0, -1.0, 0.0, 0.0], b=lambda number: mixed)
        same = "say the same (their" if correlation > 0 else "say opposite things (their"
        what = f"a and b {same} values correlate by {correlation:.3f}"
        assert [finding.what.startswith(what) for finding in findings_of(movement_of(*made))] == [True] * told

    def test_counts_groups_in_which_either_varies(self):
        half = lambda number: noise(number, "a") if number % 2 else [0.5] * 4  # noqa: E731
        whole = lambda number: noise(number, "a") if number % 2 else [0.5, 0.5, 0.5, 0.51]  # noqa: E731
        assert found(*groups(MIN_GROUPS, a=whole, b=half)) == [("duplicate", ("a", "b"))]

    def test_looks_at_values_that_both_gave(self):
        made = [record({"a": noise(n), "b": [*noise(n)[:3], 1.0]}, {"b": [*noise(n)[:3], None]}) for n in range(GROUPS)]
        assert found(*made) == [("duplicate", ("a", "b"))]

    def test_needs_groups_in_which_they_vary(self):
        def once(number):
            return [number < MIN_GROUPS - 1, 0, 0, 0]

        kinds = {kind for kind, _ in found(*groups(9, a=once, b=once))}
        assert kinds == set()
        assert found(*groups(MIN_GROUPS, a=None, b=lambda number: noise(number, "a"))) == [("duplicate", ("a", "b"))]


def test_memory_does_not_grow_with_groups():
    movement = movement_of(*groups(3, a=None, b=None))
    before = len(vars(movement)["_pairs"]), len(movement.components)
    for one in groups(50, a=None, b=None):
        movement.add(one)
    assert (len(vars(movement)["_pairs"]), len(movement.components)) == before
    assert movement.groups == 53


def test_dead_ones_are_named_first_and_duplicates_last():
    small = lambda number: [value / 100 for value in noise(number, "a")]  # noqa: E731
    made = groups(a=lambda number: noise(number, "a"), b=small, dead=lambda number: [0.0] * 4)
    assert [kind for kind, _ in found(*made)] == ["dead", "dominating", "duplicate"]


def test_the_rest_is_told_where_it_moves():
    movement = movement_of(record({"a": [0.0, 1.0, None], "b": [2.0, 0.0, None]}, rest=[0.25, 0.75, 9.0]))
    # of the third completion it is no normalizer's doing, but all there is
    assert (movement.share("a"), movement.share("b"), movement.rest_share()) == (-2, 4, -1)


def test_a_rest_that_is_the_same_for_all_moves_nothing():
    movement = movement_of(record({"a": [0.0, 1.0]}, rest=[0.1, 0.1]))
    assert movement.rest_share() == 0.0


def test_where_nothing_moves_there_is_no_share():
    movement = movement_of(*groups(a=lambda number: [1.0] * 4))
    assert movement.share("a") is None
    assert movement.rest_share() is None


def test_shares_are_covariances_with_the_reward_and_add_up_to_1():
    """A component that works against the reward has moved it, and has made less than nothing of it."""
    made = [
        record({"a": noise(n, "a"), "b": [-value / 4 for value in noise(n, "a")]}, rest=noise(n, "r"))
        for n in range(GROUPS)
    ]
    movement = movement_of(*made)
    shares = [movement.share("a"), movement.share("b"), movement.rest_share()]
    assert sum(shares) == pytest.approx(1, abs=1e-12)
    reward, gave = [], {"a": [], "b": []}
    for one in made:
        total = [sum(parts) for parts in zip(one.rest, *one.contributions.values(), strict=True)]
        reward += [value - sum(total) / 4 for value in total]
        for name, column in one.contributions.items():
            gave[name] += [value - sum(column) / 4 for value in column]
    whole = sum(value**2 for value in reward)
    for name, share in zip(gave, shares, strict=False):
        assert share == pytest.approx(sum(x * y for x, y in zip(gave[name], reward, strict=True)) / whole)
    assert shares[1] < 0


def test_contributions_that_cancel_out_have_no_shares():
    movement = movement_of(*[record({"a": [0.1, 0.3, 0.7], "b": [-0.1, -0.3, -0.7]})] * 3)
    assert (movement.share("a"), movement.rest_share()) == (None, None)
