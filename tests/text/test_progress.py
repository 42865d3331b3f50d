"""Progress of long work where nobody sees a bar: a line every so often, on stderr."""

import json
import re
import time

import pytest
from helpers.each_case import each_case
from rewardlab.text import Progress, format_duration
from rewardlab.text.progress import INTERVAL_S, progress_interval_s


@pytest.fixture
def clock(monkeypatch):
    """Time that stands still unless the test moves it: `clock(60)`."""
    monkeypatch.setenv("REWARDLAB_PROGRESS_S", "60")
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def pass_(seconds):
        now[0] += seconds

    return pass_


def test_a_line_comes_with_the_unit_that_is_done_after_the_interval(clock, capsys):
    with Progress("scoring", 4_000, initial=1_000) as progress:
        for _ in range(9):
            clock(20)
            progress.update(100)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "scoring: 1,300 of 4,000 rows; 0.2 s a row, 9 min left",
        "scoring: 1,600 of 4,000 rows; 0.2 s a row, 8 min left",
        "scoring: 1,900 of 4,000 rows; 0.2 s a row, 7 min left",
    ]


def test_a_step_is_told_with_its_numbers(clock, capsys):
    progress = Progress("1-rl", 500, unit="step", initial=10)
    clock(61)
    progress.note({"total": 0.43219, "boxed": 1.0, "loss": 0.00001234})
    progress.move_to(25)
    assert capsys.readouterr().err == (
        "1-rl: step 25 of 500, total 0.432, boxed 1, loss 1.23e-05; 4.07 s a step, 32 min left\n"
    )


def test_of_an_unknown_number_no_time_is_left(clock, capsys):
    progress = Progress("train.jsonl")
    clock(60)
    progress.update(30)
    assert capsys.readouterr().err == "train.jsonl: 30 rows; 2 s a row\n"


def test_slow_work_tells_each_unit_and_quick_work_nothing(clock, capsys):
    progress = Progress("slow", 3)
    for _ in range(3):
        clock(200)
        progress.update()
    assert len(capsys.readouterr().err.splitlines()) == 3
    quick = Progress("quick", 3)
    for _ in range(3):
        quick.update()
    quick.close()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("given", "seconds"), [("5", 5.0), ("0", 0.0), ("-1", INTERVAL_S), ("soon", INTERVAL_S)])
def test_the_environment_says_how_often(monkeypatch, clock, capsys, given, seconds):
    monkeypatch.setenv("REWARDLAB_PROGRESS_S", given)
    assert progress_interval_s() == seconds
    progress = Progress("x", 2)
    clock(1_000)
    progress.update()
    assert bool(capsys.readouterr().err) == (seconds > 0)


@each_case(
    "seconds, text",
    [(0, "0 s"), (89, "89 s"), (91, "2 min"), (5_300, "88 min"), (12_000, "3 h 20 min"), (190_000, "2 d 4 h")],
)
def test_durations_are_told_as_people_do(seconds, text):
    assert format_duration(seconds) == text


def test_score_tells_its_progress_on_stderr(main, write, monkeypatch):
    monkeypatch.setenv("REWARDLAB_PROGRESS_S", "0.000001")
    write("r.yaml", "version: 1\nreward: {components: {boxed: {use: format/boxed}}, total: boxed}\n")
    write("rows.jsonl", [{"id": f"{n}", "prompt": "?", "completions": ["\\boxed{1}", "2"]} for n in range(9)])
    code, out, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--json")
    assert code == 0
    assert json.loads(out)
    assert re.search(r"^checking rows: \d rows; ", err, re.M)
    assert re.search(r"^scoring: \d of 9 rows; .* s a row, 0 s left$", err, re.M)
    monkeypatch.setenv("REWARDLAB_PROGRESS_S", "60")
    _, _, err = main("score", "r.yaml", "rows.jsonl", "-o", "again.jsonl", "--json")
    assert not re.search(r"^(checking|scoring)", err, re.M)
