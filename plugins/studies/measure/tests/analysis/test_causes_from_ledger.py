"""The movement of the reward in a ledger: which lines make a group, and which count."""

import pytest
from rewardlab_measure.causes.from_ledger import ledger_movement
from rewardlab_records.ledger.superseded_steps import CurrentSteps


def line(value, attempt=0, group=0, trained="yes", step=1, **entry):
    """A line whose only component contributed its value."""
    told = {"value": value, "contribution": value} | (entry or {"weight": 1.0})
    place = {"attempt": attempt, "stage": 0, "step": step, "group": group, "trained": trained}
    return place | {"components": {"a": told}, "rest": 0.0}


def moved(*lines):
    """(groups, groups in which a is constant, its uses, whether they were trained on)"""
    movement = ledger_movement(lines, CurrentSteps(lines))
    [a] = movement.components.values()
    return movement.groups, a.constant, list(a.uses), movement.learned


@pytest.mark.parametrize("trained", ["yes", "unknown"])
def test_what_was_not_an_evaluation_counts_as_trained_on(trained):
    groups = [line(0.0, trained=trained), line(1.0, trained=trained), line(0.5, group=1, trained="no", step=None)]
    assert moved(*groups) == (1, 0, ["weight"], True)
    assert moved(line(0.0, trained="no"), line(1.0, trained="no")) == (1, 0, ["weight"], False)


def test_groups_of_two_attempts_or_uses_are_two_though_their_numbers_are_the_same():
    first, second = [line(0.25)] * 2, [line(0.75, attempt=1, step=2)] * 2
    assert moved(*first, *second) == (2, 2, ["weight"], True)
    evaluated = [line(0.25, trained="no", step=None)] * 2
    assert moved(*evaluated, *second)[:2] == (1, 1)


def test_how_the_total_uses_a_component_may_be_told_by_a_later_line_only():
    assert moved(line(0.0, stand_in=0.5), line(1.0, gate=1.0, stand_in=0.5))[2] == ["gate"]
