"""The movement of the reward as a table and as JSON values."""

from rewardlab_measure.causes.movement import Movement
from rewardlab_measure.causes.movement_table import movement_as_dict, movement_lines
from rewardlab_measure.causes.records import record_of_ledger


def movement_of(*groups):
    movement = Movement()
    for group in groups:
        movement.add(record_of_ledger(group))
    return movement


def lines(columns, rest=(0.0, 0.0)):
    """The lines of a group in a ledger. columns: name -> (contributions, uses); None: only logged."""
    made = []
    for index, own in enumerate(rest):
        told = {}
        for name, column in columns.items():
            value = float(index) if column is None else column[0][index]
            told[name] = {"value": value} | ({} if column is None else {"contribution": value, **column[1]})
        made.append({"components": told, "rest": own})
    return made


def test_the_table_says_how_each_component_is_used_and_what_is_only_logged():
    uses = {"weight": 1.0, "counterfactual": 0.2}
    columns = {"a": ([0.0, 1.0], {"weight": 0.5}), "f": ([0.0, 0.0], {"gate": 0.3}), "m": ([0.0, 1.0], uses)}
    movement = movement_of(lines({**columns, "seen": None}))
    assert list(movement_lines(movement)) == [
        "component  in the total                 share of variance  constant in",
        "a          weight 0.5                   50.0%              0 of 1 groups",
        "f          gate                         0.0%               1 of 1 groups",
        "m          weight 1 and counterfactual  50.0%              0 of 1 groups",
        "seen       no, only logged              –                  –",
    ]
    assert movement_as_dict(movement)["components"]["a"] == {
        "uses": ["weight"],
        "weight": 0.5,
        "share": 0.5,
        "groups": 1,
        "constant": 0,
    }
    assert movement_as_dict(movement)["logged"] == ["seen"]


def test_a_use_that_some_groups_do_not_tell_of_stays():
    column = [0.0, 1.0]
    movement = movement_of(lines({"a": (column, {"weight": 1})}), lines({"a": (column, {})}))
    assert "weight 1" in list(movement_lines(movement))[1]


def test_the_rest_is_told_where_it_moves():
    one, other = ([0.0, 1.0], {"weight": 1}), ([2.0, 0.0], {"weight": 1})
    movement = movement_of(lines({"a": one, "b": other}, rest=(0.25, 0.75)))
    last = list(movement_lines(movement))[-1]
    assert last == "beside the components, -100.0% of the variance is the rest: what normalizers add of their own"
    assert movement_as_dict(movement)["rest_share"] == -1
    still = movement_of(lines({"a": one}, rest=(0.1, 0.1)))
    assert not any("rest" in line for line in movement_lines(still))


def test_where_nothing_moves_there_is_no_share():
    movement = movement_of(lines({"a": ([1.0, 1.0], {"weight": 1})}))
    assert "–" in list(movement_lines(movement))[1]
    assert movement_as_dict(movement)["components"]["a"]["share"] is None
