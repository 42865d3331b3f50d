"""Which prompt a ticket of the engine stands for: the recipe's own order, whatever order the tickets come in."""

import json

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Sample
from rewardlab.errors import JobError
from rewardlab_ray.rendered_rows import Row
from rewardlab_ray.scoring.reading_order import Prompts, ReadingOrder

ORDER = [3, 1, 0, 2, 3, 1]


def rows(name, count):
    return [Row(sample=Sample(id=f"{name}{i}"), prompt=f"{name} {i}", opened="<think>\n" * i) for i in range(count)]


PROMPTS = Prompts(training=rows("train", 4), order=ORDER, evaluation=rows("held-out", 2))


@pytest.fixture
def reading_order(tmp_path):
    """`reading_order(consumed=2)` gives out positions, and goes on where the last one of this test was."""

    def open_order(**more):
        return ReadingOrder(PROMPTS, batch_size=2, journal=tmp_path / "reading_order.jsonl", **more)

    return open_order


def ticket(number):
    return json.dumps({"ticket": number})


def test_tickets_in_any_order_take_the_positions_in_theirs(reading_order):
    order = reading_order()
    given_out = [order.rollout_prompt(ticket(n)) for n in (5, 0, 3)]
    assert [(t.row, t.position, t.step) for t in given_out] == [(3, 0, 1), (1, 1, 1), (0, 2, 2)]
    assert (given_out[0].text, given_out[0].opened, given_out[0].evaluation) == ("train 3", "<think>\n" * 3, False)


def test_the_same_ticket_is_the_same_prompt(reading_order):
    order = reading_order()
    first = order.rollout_prompt(ticket(4))
    order.rollout_prompt(ticket(2))
    assert order.rollout_prompt(ticket(4)) == first


@given(st.permutations(range(6)), st.integers(0, 6))
def test_a_restart_anywhere_changes_nothing(tmp_path_factory, tickets, before):
    path = tmp_path_factory.mktemp("order") / "reading_order.jsonl"
    first = ReadingOrder(PROMPTS, 2, path)
    given_out = [first.rollout_prompt(ticket(n)) for n in tickets[:before]]
    first.close()
    again = ReadingOrder(PROMPTS, 2, path)
    assert [again.rollout_prompt(ticket(n)) for n in tickets[:before]] == given_out
    assert [t.row for t in [*given_out, *(again.rollout_prompt(ticket(n)) for n in tickets[before:])]] == ORDER
    again.close()


def test_a_line_that_a_crash_has_torn_was_never_given_out(reading_order, tmp_path):
    first = reading_order()
    first.rollout_prompt(ticket(0))
    first.close()
    with (tmp_path / "reading_order.jsonl").open("ab") as file:
        file.write(b'{"ticket": 7, "pos')
    again = reading_order()
    assert [again.rollout_prompt(ticket(n)).position for n in (7, 0, 8)] == [1, 0, 2]
    assert [again.rollout_prompt(ticket(n)).position for n in (7, 0, 8)] == [1, 0, 2]
    again.close()
    assert [reading_order().rollout_prompt(ticket(n)).position for n in (8, 7)] == [2, 1]


def test_a_resumed_run_goes_on_behind_what_was_consumed(reading_order):
    order = reading_order(consumed=4)
    assert [(t.position, t.row, t.step) for t in map(order.rollout_prompt, map(ticket, (9, 1)))] == [
        (4, 3, 3),
        (5, 1, 3),
    ]


def test_where_positions_do_not_say_the_step_there_is_none(reading_order):
    assert reading_order(by_position=False).rollout_prompt(ticket(1)).step is None


def test_there_are_no_more_prompts_than_positions(reading_order):
    order = reading_order(consumed=5)
    order.rollout_prompt(ticket(0))
    with pytest.raises(JobError, match=r"more than the 6 prompts of this stage \(ticket 1\)"):
        order.rollout_prompt(ticket(1))
    assert order.rollout_prompt(ticket(0)).position == 5


def test_an_evaluation_has_its_own_rows_and_takes_no_position(reading_order):
    order = reading_order()
    prompt = order.rollout_prompt('{"evaluation": 1}')
    assert (prompt.row, prompt.text, prompt.position, prompt.step, prompt.evaluation) == (
        1,
        "held-out 1",
        None,
        None,
        True,
    )
    assert order.rollout_prompt(ticket(0)).position == 0


@each_case("label", ["", "17", "{}", '{"ticket": "1"}', '{"ticket": -1}', '{"a": 1}', '{"ticket": true}'])
def test_a_row_that_is_not_of_this_stage_ends_the_job(reading_order, label):
    with pytest.raises(JobError, match="not of this stage"):
        reading_order().rollout_prompt(label)


def test_an_evaluation_row_that_is_not_there_ends_the_job(reading_order):
    with pytest.raises(JobError, match="there are 2 rows"):
        reading_order().rollout_prompt('{"evaluation": 2}')
