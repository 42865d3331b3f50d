"""Rows that a data step leaves out."""

import pytest
from rewardlab.errors import JobError
from rewardlab_data.dropped_rows import ENOUGH, DroppedRow, DroppedRows


def row(number, fault="judge", kind="", reason="no use"):
    return DroppedRow(
        where=f"rows.jsonl:{number}", kind=kind, reason=reason, detail=f"{reason} ({number})", fault=fault
    )


@pytest.fixture
def tally():
    return DroppedRows("mine/step", 0.2, "could not be made")


def counted(tally, kept, dropped, fault="judge"):
    for number in range(max(kept, dropped)):
        if number < kept:
            tally.keeps(object())
        if number < dropped:
            tally.keeps(row(number, fault))


def test_too_many_of_the_judges_fault_stop_the_job_with_three_examples(tally):
    with pytest.raises(JobError) as stopped:
        counted(tally, kept=100, dropped=100)
    assert str(stopped.value) == (
        "mine/step: 25 of 50 rows could not be made: rows.jsonl:0: no use (0); rows.jsonl:1: no use (1); "
        "rows.jsonl:2: no use (2); more than max_dropped: 0.2 allows"
    )


def test_few_rows_say_nothing_of_a_share(tally):
    counted(tally, kept=1, dropped=ENOUGH - 2)


def test_the_share_itself_is_allowed(tally):
    counted(tally, kept=400, dropped=0)
    counted(tally, kept=0, dropped=100)
    with pytest.raises(JobError, match="101 of 501 rows"):
        tally.keeps(row(1))


def test_what_the_source_lacks_is_counted_and_never_stops_the_job(tally, caplog):
    counted(tally, kept=1, dropped=500, fault="source")
    tally.close(unanswered=0)
    assert caplog.messages == ["mine/step: 500 of 501 rows dropped: 500: no use"]


def test_reasons_are_counted_by_kind_and_told_with_the_first_of_the_judges_fault(tally, caplog):
    counted(tally, kept=10, dropped=0)
    for kind in ("th", "sw", "th"):
        tally.keeps(row(7, kind=kind))
    tally.keeps(row(9, fault="source", reason="blank"))
    tally.close(unanswered=2)
    assert caplog.messages == [
        "mine/step: 4 of 14 rows dropped: 1: blank; 1 sw: no use; 2 th: no use; first: rows.jsonl:7 (th): no use (7); "
        "rows.jsonl:7 (sw): no use (7); rows.jsonl:7 (th): no use (7)",
        "mine/step: 2 questions had no answer; others about the same rows did",
    ]


def test_nothing_dropped_is_nothing_to_say(tally, caplog):
    counted(tally, kept=3, dropped=0)
    tally.close(unanswered=0)
    assert caplog.messages == []


def test_a_judge_that_left_no_row_fails_the_job_however_few_there_were(tally):
    tally.keeps(row(1))
    with pytest.raises(JobError, match="mine/step: 1 of 1 rows could not be made"):
        tally.close(unanswered=0)
