"""Which groups of a ledger stand after a run was resumed."""

from rewardlab_records.ledger.superseded_steps import CurrentSteps


def line(attempt, stage, step, trained="yes"):
    return {"attempt": attempt, "stage": stage, "step": step, "trained": trained}


def stand(*lines):
    """The lines that stand, in order, as (attempt, stage, step)."""
    standing = CurrentSteps(lines)
    return [(row["attempt"], row["stage"], row["step"]) for row in lines if row in standing]


def test_a_run_that_was_never_resumed_stands_whole():
    assert stand(line(0, 1, 1), line(0, 1, 2), line(0, 2, 1)) == [(0, 1, 1), (0, 1, 2), (0, 2, 1)]


def test_a_later_attempt_replaces_what_came_after_its_checkpoint():
    steps = [line(0, 1, step) for step in (1, 2, 3, 4)]
    assert stand(*steps, line(1, 1, 3)) == [(0, 1, 1), (0, 1, 2), (1, 1, 3)]
    assert stand(*steps, line(1, 1, 3), line(1, 1, 4)) == [(0, 1, 1), (0, 1, 2), (1, 1, 3), (1, 1, 4)]


def test_each_of_several_attempts_replaces_the_earlier_ones():
    assert stand(line(0, 1, 5), line(1, 1, 6), line(2, 1, 5)) == [(2, 1, 5)]


def test_stages_have_nothing_to_do_with_each_other():
    assert stand(line(0, 1, 5), line(1, 2, 1)) == [(0, 1, 5), (1, 2, 1)]


def test_evaluations_replace_nothing_and_those_without_a_step_always_stand():
    evaluations = [line(0, 1, None, "no"), line(0, 1, 4, "no"), line(1, 1, 2, "no")]
    assert stand(*evaluations, line(0, 1, 3)) == [(0, 1, None), (0, 1, 4), (1, 1, 2), (0, 1, 3)]
    assert stand(*evaluations, line(1, 1, 3)) == [(0, 1, None), (1, 1, 2), (1, 1, 3)]


def evaluation(attempt, stage, step, phase):
    return line(attempt, stage, step, "no") | {"phase": phase}


def test_an_evaluation_that_a_later_attempt_made_again_is_replaced():
    before, after = evaluation(0, 1, 0, "before"), evaluation(0, 1, 4, "after")
    assert stand(before, line(0, 1, 4), after, evaluation(1, 1, 4, "after")) == [(0, 1, 0), (0, 1, 4), (1, 1, 4)]
    assert stand(evaluation(0, 2, None, "eval"), evaluation(1, 2, None, "eval")) == [(1, 2, None)]
    assert stand(before, before, evaluation(1, 1, 0, "before")) == [(1, 1, 0)]


def test_evaluations_of_other_steps_phases_and_stages_stay():
    made = [evaluation(0, 1, 2, "during"), evaluation(0, 1, 4, "during"), evaluation(0, 2, None, "eval")]
    assert stand(*made, evaluation(1, 1, 4, "after"), evaluation(1, 3, None, "eval")) == [
        *[(0, 1, 2), (0, 1, 4), (0, 2, None)],
        *[(1, 1, 4), (1, 3, None)],
    ]


def test_an_evaluation_of_a_step_that_was_trained_again_is_replaced_and_that_before_the_first_is_not():
    made = [evaluation(0, 1, 0, "before"), evaluation(0, 1, 2, "during"), evaluation(0, 1, 4, "during")]
    assert stand(*made, line(1, 1, 3)) == [(0, 1, 0), (0, 1, 2), (1, 1, 3)]
    assert stand(*made, line(1, 1, 1)) == [(0, 1, 0), (1, 1, 1)]
